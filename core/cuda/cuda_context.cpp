// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_context.h"

#include <fmt/format.h>

#include "base/error.h"

namespace opscope::cuda {

CudaContext::CudaContext(int ordinal) : ordinal_(ordinal) {
  // Spinning: a host that sleeps in a wait comes back tens of microseconds late, in every iteration.
  cudaError_t error = cudaInitDevice(ordinal, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid);
  // Somebody else in this process (a Python program) chose otherwise: then that stands.
  if (error == cudaErrorSetOnActiveProcess) error = cudaSuccess;
  if (error == cudaSuccess) error = cudaSetDevice(ordinal);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties_, ordinal);
  if (error != cudaSuccess) {
    cudaGetLastError();
    throw DeviceUnavailable(fmt::format("GPU {} cannot be used: {}", ordinal, textOf(error)),
                            "See what nvidia-smi says about it; another process may hold it exclusively.");
  }
  main_ = makeStream();
}

std::string CudaContext::architecture() const {
  return fmt::format("sm_{}{}", properties_.major, properties_.minor);
}

cudaStream_t CudaContext::stream(std::uint32_t index) {
  if (index == 0) return main();
  while (others_.size() < index) others_.push_back(makeStream());
  return others_[index - 1].get();
}

void CudaContext::drain() {
  check(adopted_ ? cudaDeviceSynchronize() : cudaStreamSynchronize(main()), "waiting for the GPU");
}

}  // namespace opscope::cuda
