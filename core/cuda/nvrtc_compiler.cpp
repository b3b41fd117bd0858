// SPDX-License-Identifier: Apache-2.0
#include "cuda/nvrtc_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "cuda/toolkit_paths.h"

namespace opscope::cuda {
namespace {

/// The place in "file.cu(12): error: ...", the compiler's form.
Place firstErrorIn(const std::string& log) {
  const std::size_t at = log.find("): error");
  if (at == std::string::npos) return {};
  const std::size_t open = log.rfind('(', at);
  if (open == std::string::npos) return {};
  const std::size_t lineStart = log.rfind('\n', open);
  const std::size_t from = lineStart == std::string::npos ? 0 : lineStart + 1;
  const std::string number = log.substr(open + 1, at - open - 1);
  if (number.empty() || number.size() > 9 ||
      !std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
    return {};
  return {.file = log.substr(from, open - from), .line = std::stoi(number), .column = 0};
}

void trimEnd(std::string& text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n' || text.back() == ' ')) text.pop_back();
}

}  // namespace

NvrtcCompiler::NvrtcCompiler(CubinCache cache) : cache_(std::move(cache)), headers_(headerFolder()) {
  const auto names = libraryNames("libnvrtc");
  library_ = Library::open(names, libraryFolders());
  if (!library_) {
    missing_ = library_.problem().empty() ? fmt::format("NVRTC ({}) was not found", fmt::join(names, ", "))
                                          : fmt::format("NVRTC could not be loaded: {}", library_.problem());
    return;
  }
  const bool complete =
      library_.find("nvrtcVersion", nvrtcVersion_) && library_.find("nvrtcGetErrorString", getErrorString_) &&
      library_.find("nvrtcCreateProgram", createProgram_) &&
      library_.find("nvrtcDestroyProgram", destroyProgram_) &&
      library_.find("nvrtcAddNameExpression", addNameExpression_) &&
      library_.find("nvrtcCompileProgram", compileProgram_) &&
      library_.find("nvrtcGetProgramLogSize", getProgramLogSize_) &&
      library_.find("nvrtcGetProgramLog", getProgramLog_) &&
      library_.find("nvrtcGetCUBINSize", getCubinSize_) && library_.find("nvrtcGetCUBIN", getCubin_) &&
      library_.find("nvrtcGetLoweredName", getLoweredName_);
  int major = 0;
  int minor = 0;
  if (!complete) {
    missing_ = fmt::format("NVRTC in {} is too old", library_.path());
  } else if (const nvrtcResult result = nvrtcVersion_(&major, &minor); result != NVRTC_SUCCESS) {
    missing_ = fmt::format("NVRTC in {} does not work: {}", library_.path(), textOf(result));
  } else {
    version_ = fmt::format("{}.{}", major, minor);
    // NVRTC asks the loader for its built-in functions by name alone, which fails where a toolkit is not in
    // the loader's path; what is already open it finds. What is missing here, NVRTC says when it compiles.
    builtins_ = Library::open({"libnvrtc-builtins.so." + version_},
                              {std::filesystem::path(library_.path()).parent_path()});
  }
}

std::string NvrtcCompiler::textOf(nvrtcResult result) const {
  const char* text = getErrorString_(result);
  return text != nullptr ? text : std::to_string(static_cast<int>(result));
}

KernelSource NvrtcCompiler::completed(KernelSource source) const {
  std::sort(source.kernels.begin(), source.kernels.end());
  source.kernels.erase(std::unique(source.kernels.begin(), source.kernels.end()), source.kernels.end());
  std::vector<std::string> options{"--gpu-architecture=" + source.architecture, "--std=c++17", "-lineinfo"};
  options.insert(options.end(), source.options.begin(), source.options.end());
  for (const std::string& folder : source.includeFolders) options.push_back("--include-path=" + folder);
  if (headers_) options.push_back("--include-path=" + headers_->string());
  source.options = std::move(options);
  return source;
}

void NvrtcCompiler::requireAvailable() const {
  if (!available())
    throw LibraryMissing(missing_ + ", so kernels cannot be compiled",
                         "Install NVRTC (cuda-nvrtc) or set CUDA_HOME to a CUDA toolkit.");
}

CompiledProgram NvrtcCompiler::compile(const KernelSource& source) const {
  requireAvailable();
  const KernelSource whole = completed(source);
  const std::string key = keyOf(whole, version_);
  if (auto kept = cache_.find(key)) return std::move(*kept);
  CompiledProgram program = build(whole);
  cache_.store(key, program);
  return program;
}

CompiledProgram NvrtcCompiler::compileUncached(const KernelSource& source) const {
  requireAvailable();
  return build(completed(source));
}

CompiledProgram NvrtcCompiler::build(const KernelSource& source) const {
  const auto must = [&](nvrtcResult result, std::string_view doing) {
    if (result == NVRTC_ERROR_OUT_OF_MEMORY)
      throw OutOfMemory(fmt::format("NVRTC ran out of host memory while {}", doing));
    if (result != NVRTC_SUCCESS)
      throw CompileFailed(
          fmt::format("NVRTC failed while {} {}: {}", doing, source.fileName, textOf(result)));
  };
  nvrtcProgram handle = nullptr;
  must(createProgram_(&handle, source.source.c_str(), source.fileName.c_str(), 0, nullptr, nullptr),
       "reading");
  struct Destroy {
    const NvrtcCompiler& compiler;
    nvrtcProgram program;
    ~Destroy() { compiler.destroyProgram_(&program); }
  } const destroy{*this, handle};

  for (const std::string& kernel : source.kernels)
    must(addNameExpression_(handle, kernel.c_str()), "naming a kernel of");
  std::vector<const char*> options;
  for (const std::string& option : source.options) options.push_back(option.c_str());
  const nvrtcResult result = compileProgram_(handle, static_cast<int>(options.size()), options.data());
  if (result != NVRTC_SUCCESS) {
    std::size_t size = 0;
    std::string log;
    if (getProgramLogSize_(handle, &size) == NVRTC_SUCCESS && size > 0) {
      log.resize(size);
      if (getProgramLog_(handle, log.data()) != NVRTC_SUCCESS) log.clear();
    }
    trimEnd(log);
    const std::string why = log.empty() ? textOf(result) : log;
    throw CompileFailed(
        fmt::format("{} does not compile for {}:\n{}", source.fileName, source.architecture, why),
        headers_ ? "" : "The CUDA headers (cuda_fp16.h, cuda_bf16.h) were not found; set CUDA_HOME.",
        firstErrorIn(log));
  }
  CompiledProgram compiled;
  std::size_t size = 0;
  must(getCubinSize_(handle, &size), "sizing the machine code of");
  compiled.cubin.resize(size);
  must(getCubin_(handle, compiled.cubin.data()), "fetching the machine code of");
  for (const std::string& kernel : source.kernels) {
    const char* lowered = nullptr;
    must(getLoweredName_(handle, kernel.c_str(), &lowered), "looking up a kernel of");
    compiled.loweredNames[kernel] = lowered != nullptr ? lowered : kernel;
  }
  return compiled;
}

}  // namespace opscope::cuda
