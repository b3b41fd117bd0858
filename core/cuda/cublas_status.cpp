// SPDX-License-Identifier: Apache-2.0
#include "cuda/cublas_status.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cuda/cuda_check.h"

namespace opscope::cuda {

void throwCublasError(cublasStatus_t status, std::string_view statusName, std::string_view library,
                      std::string_view doing) {
  const cudaError_t underneath = cudaPeekAtLastError();
  if (underneath != cudaSuccess && isFatal(underneath)) throwCudaError(underneath, doing);
  const std::string message = fmt::format("{} failed while {}: {}", library, doing, statusName);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw OutOfMemory(message, "Choose a smaller workload.");
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH)
    throw NotSupported(message, "Choose another implementation, dtype or shape.");
  if (status == CUBLAS_STATUS_EXECUTION_FAILED || status == CUBLAS_STATUS_INTERNAL_ERROR)
    throw DeviceLost(message, "This process may not be able to use the GPU any more; start it again.");
  throw InternalError(message);
}

}  // namespace opscope::cuda
