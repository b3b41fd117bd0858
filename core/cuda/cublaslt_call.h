// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cuda/cuda_context.h"
#include "device/call.h"

namespace opscope::cuda {

/// The products that cuBLASLt is asked for, all row-major with sums in float32:
/// Single, "cublaslt.gemm": c[m, n] = op(a) op(b), where trans_a and trans_b (0 or 1, 0 when absent) say what
/// is transposed; float32 (no TF32), float16 and bfloat16.
/// Batched, "cublaslt.bmm": c[b, m, n] = a[b, m, k] w[b, k, n], in the same dtypes.
/// Fp8, "cublaslt.gemm_fp8": c[m, n] = scale_a scale_b a[m, k] b[n, k]' of float8_e4m3fn, c in bfloat16.
enum class CublasLtProduct : std::uint8_t { Single, Batched, Fp8 };

/// The first choice of cuBLASLt's heuristic with a workspace of up to 64 MB, made once. Throws
/// LibraryMissing, BadInput, NotSupported, OutOfMemory.
std::unique_ptr<Call> prepareCublasLt(CudaContext& context, const CallSpec& spec, CublasLtProduct kind);

/// "cublaslt.grouped": c = a w[g]' for each group's rows of a, one product after the other (see
/// GroupedProduct). Throws as above.
std::unique_ptr<Call> prepareGroupedCublasLt(CudaContext& context, const CallSpec& spec);

/// Version and file of cuBLASLt for the doctor, as in "13.0.2, /usr/.../libcublasLt.so.13"; loads it. Throws
/// LibraryMissing.
std::string describeCublasLt();

}  // namespace opscope::cuda
