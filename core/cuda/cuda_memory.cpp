// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_memory.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "base/error.h"
#include "base/format.h"
#include "cuda/cuda_check.h"

namespace opscope::cuda {

CudaMemory::CudaMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  const cudaError_t error = cudaMalloc(&address_, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t free = 0;
    std::size_t total = 0;
    std::string have;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess)
      have = fmt::format("; {} of {} are free", formatBytes(static_cast<double>(free)),
                         formatBytes(static_cast<double>(total)));
    throw OutOfMemory(
        fmt::format("The GPU has no room for {}{}", formatBytes(static_cast<double>(bytes)), have),
        "Choose a smaller workload, or end other programs that use the GPU.");
  }
  check(error, "allocating memory");
}

CudaMemory::~CudaMemory() {
  if (address_ != nullptr) cudaFree(address_);
}

}  // namespace opscope::cuda
