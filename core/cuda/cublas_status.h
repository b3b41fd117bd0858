// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublas_api.h>

#include <string_view>

namespace opscope::cuda {

/// Throws what a status of cuBLAS or cuBLASLt (`library`) means, which is not success: OutOfMemory,
/// NotSupported, DeviceLost or InternalError. `doing` completes "while ...".
[[noreturn]] void throwCublasError(cublasStatus_t status, std::string_view statusName,
                                   std::string_view library, std::string_view doing);

}  // namespace opscope::cuda
