// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cuda/cuda_context.h"
#include "device/call.h"

namespace opscope::cuda {

/// "cufft.c2c": y = the forward transform of x, both [M, N, 2] in float32, M rows of N complex numbers. The
/// plan is made once. Throws LibraryMissing, BadInput, NotSupported, OutOfMemory.
std::unique_ptr<Call> prepareCufft(CudaContext& context, const CallSpec& spec);

}  // namespace opscope::cuda
