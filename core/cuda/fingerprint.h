// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "cuda/cuda_context.h"
#include "cuda/cuda_memory.h"
#include "cuda/program_loader.h"

namespace opscope::cuda {

/// Tells whether memory of the GPU has changed, without carrying it to the host. On the launch thread.
class Fingerprint {
 public:
  /// Compiles the kernel. Where that fails there are no fingerprints.
  explicit Fingerprint(CudaContext& context);

  /// A 64-bit sum over all bytes in their places: it differs, but for one chance in 2^64, when any of them
  /// does. Empty where there is no kernel. Waits until done. Throws DeviceLost.
  std::optional<std::uint64_t> of(const DeviceMemory& memory);

 private:
  CudaContext& context_;
  std::optional<LoadedProgram> program_;
  cudaKernel_t kernel_ = nullptr;
  CudaMemory sum_;
};

}  // namespace opscope::cuda
