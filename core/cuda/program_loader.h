// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <string>

#include "cuda/cuda_handles.h"
#include "cuda/nvrtc_compiler.h"

namespace opscope::cuda {

/// A compiled program on the current GPU.
class LoadedProgram {
 public:
  LoadedProgram(const NvrtcCompiler& compiler, const KernelSource& source);

  struct Kernel {
    cudaKernel_t handle = nullptr;
    cudaFuncAttributes attributes{};
  };
  /// Looks the kernel up and loads its code, so that no launch has to. `name` is one of the source's.
  Kernel kernel(const std::string& name) const;

 private:
  std::string fileName_;
  CompiledProgram program_;
  cudaLibrary_t library_ = nullptr;
};

}  // namespace opscope::cuda
