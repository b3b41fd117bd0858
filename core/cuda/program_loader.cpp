// SPDX-License-Identifier: Apache-2.0
#include "cuda/program_loader.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <vector>

#include "base/error.h"

namespace opscope::cuda {
namespace {

// Nothing is unloaded before the process ends: a kernel that gets the handle of one that is gone is given
// that one's name by CUPTI, which does not see what happens between two passes. The same code is loaded once.
cudaLibrary_t loaded(const std::vector<char>& cubin, const std::string& fileName) {
  static std::mutex mutex;
  static auto& libraries = *new std::map<std::vector<char>, cudaLibrary_t>;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = libraries.try_emplace(cubin, nullptr);
  if (!fresh) return at->second;
  // CUDA reads the bytes later, too: those of the key stay where they are.
  const cudaError_t status =
      cudaLibraryLoadData(&at->second, at->first.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (status != cudaSuccess) libraries.erase(at);
  check(status, fmt::format("loading {}", fileName));
  return at->second;
}

}  // namespace

LoadedProgram::LoadedProgram(const NvrtcCompiler& compiler, const KernelSource& source)
    : fileName_(source.fileName),
      program_(compiler.compile(source)),
      library_(loaded(program_.cubin, fileName_)) {}

LoadedProgram::Kernel LoadedProgram::kernel(const std::string& name) const {
  const auto lowered = program_.loweredNames.find(name);
  if (lowered == program_.loweredNames.end())
    throw InternalError(fmt::format("{} was compiled without asking for {}", fileName_, name));
  Kernel kernel;
  check(cudaLibraryGetKernel(&kernel.handle, library_, lowered->second.c_str()),
        fmt::format("looking up {} in {}", name, fileName_));
  // Also forces the code onto the GPU: with lazy loading the first launch would, and might wait for the
  // device.
  check(cudaFuncGetAttributes(&kernel.attributes, kernel.handle),
        fmt::format("loading {} of {}", name, fileName_));
  return kernel;
}

}  // namespace opscope::cuda
