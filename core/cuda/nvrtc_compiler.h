// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvrtc.h>

#include <filesystem>
#include <optional>
#include <string>

#include "cuda/cubin_cache.h"
#include "cuda/kernel_source.h"
#include "cuda/library.h"

namespace opscope::cuda {

/// Compiles kernels by NVRTC, which needs neither a GPU nor a driver, and keeps the results on disk. Loads
/// NVRTC on construction.
class NvrtcCompiler {
 public:
  explicit NvrtcCompiler(CubinCache cache = CubinCache(CubinCache::defaultFolder()));

  bool available() const { return missing_.empty(); }
  /// Why it cannot compile; empty when it can.
  const std::string& missing() const { return missing_; }
  const std::string& version() const { return version_; }  ///< "13.0"
  const std::string& path() const { return library_.path(); }
  /// The folder with cuda_fp16.h; nullopt when none was found, and sources that include it do not compile.
  const std::optional<std::filesystem::path>& headers() const { return headers_; }

  /// From the cache, else compiled and kept. Throws LibraryMissing, or CompileFailed with the compiler's log
  /// and the place of its first error.
  CompiledProgram compile(const KernelSource& source) const;
  /// Compiled anew.
  CompiledProgram compileUncached(const KernelSource& source) const;

 private:
  void requireAvailable() const;
  KernelSource completed(KernelSource source) const;
  CompiledProgram build(const KernelSource& source) const;
  std::string textOf(nvrtcResult result) const;

  CubinCache cache_;
  Library library_;
  Library builtins_;
  std::string missing_;
  std::string version_;
  std::optional<std::filesystem::path> headers_;
  decltype(&nvrtcVersion) nvrtcVersion_ = nullptr;
  decltype(&nvrtcGetErrorString) getErrorString_ = nullptr;
  decltype(&nvrtcCreateProgram) createProgram_ = nullptr;
  decltype(&nvrtcDestroyProgram) destroyProgram_ = nullptr;
  decltype(&nvrtcAddNameExpression) addNameExpression_ = nullptr;
  decltype(&nvrtcCompileProgram) compileProgram_ = nullptr;
  decltype(&nvrtcGetProgramLogSize) getProgramLogSize_ = nullptr;
  decltype(&nvrtcGetProgramLog) getProgramLog_ = nullptr;
  decltype(&nvrtcGetCUBINSize) getCubinSize_ = nullptr;
  decltype(&nvrtcGetCUBIN) getCubin_ = nullptr;
  decltype(&nvrtcGetLoweredName) getLoweredName_ = nullptr;
};

}  // namespace opscope::cuda
