// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cuda/cuda_context.h"
#include "device/call.h"

namespace opscope::cuda {

/// "cublaslt.gemm": c[m, n] = op(a) . op(b), all row-major. Scalars m, n, k and trans_a, trans_b (0 or 1,
/// 0 when absent); a is [m, k], or [k, m] when transposed, b is [k, n] or [n, k]. float32 (computed in
/// float32, no TF32), float16 and bfloat16 (accumulated in float32). The first choice of cuBLASLt's heuristic
/// with a workspace of up to 64 MB, made once. Throws LibraryMissing, BadInput, NotSupported, OutOfMemory.
std::unique_ptr<Call> prepareCublasLtGemm(CudaContext& context, const CallSpec& spec);

/// Version and file of cuBLASLt for the doctor, as in "13.0.2, /usr/.../libcublasLt.so.13"; loads it. Throws
/// LibraryMissing.
std::string describeCublasLt();

}  // namespace opscope::cuda
