// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cuda/cuda_context.h"
#include "device/call.h"

namespace opscope::cuda {

/// "cublas.grouped": all groups of a GroupedProduct in one call of cublasGemmGroupedBatchedEx, in float32,
/// float16 or bfloat16 with sums in float32. Throws LibraryMissing, BadInput, NotSupported, OutOfMemory.
std::unique_ptr<Call> prepareCublasGrouped(CudaContext& context, const CallSpec& spec);

}  // namespace opscope::cuda
