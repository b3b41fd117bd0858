// SPDX-License-Identifier: Apache-2.0
#include "cuda/program_loader.h"

#include <fmt/format.h>

#include "base/error.h"

namespace opscope::cuda {

LoadedProgram::LoadedProgram(const NvrtcCompiler& compiler, const KernelSource& source)
    : fileName_(source.fileName), program_(compiler.compile(source)) {
  cudaLibrary_t library = nullptr;
  check(cudaLibraryLoadData(&library, program_.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        fmt::format("loading {}", fileName_));
  library_.reset(library);
}

LoadedProgram::Kernel LoadedProgram::kernel(const std::string& name) const {
  const auto lowered = program_.loweredNames.find(name);
  if (lowered == program_.loweredNames.end())
    throw InternalError(fmt::format("{} was compiled without asking for {}", fileName_, name));
  Kernel kernel;
  check(cudaLibraryGetKernel(&kernel.handle, library_.get(), lowered->second.c_str()),
        fmt::format("looking up {} in {}", name, fileName_));
  // Also forces the code onto the GPU: with lazy loading the first launch would, and might wait for the
  // device.
  check(cudaFuncGetAttributes(&kernel.attributes, kernel.handle),
        fmt::format("loading {} of {}", name, fileName_));
  return kernel;
}

}  // namespace opscope::cuda
