// SPDX-License-Identifier: Apache-2.0
#include "cuda/toolkit_paths.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace opscope::cuda {
namespace {

using std::filesystem::path;

path moduleFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&libraryFolders), &info) != 0 && info.dli_fname != nullptr)
    return path(info.dli_fname).parent_path();
  return {};
}

std::vector<path> toolkitRoots() {
  std::vector<path> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
      roots.emplace_back(value);
  roots.emplace_back("/usr/local/cuda");
  return roots;
}

}  // namespace

std::vector<path> libraryFolders() {
  std::vector<path> folders;
  const auto add = [&](const path& folder) {
    std::error_code ignored;
    if (!folder.empty() && std::filesystem::is_directory(folder, ignored) &&
        std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  };
  add(moduleFolder());
  for (const path& root : toolkitRoots())
    for (const char* part :
         {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "extras/CUPTI/lib64", "lib"})
      add(root / part);
  add(OPSCOPE_BUILD_CUDA_LIBRARIES);
  return folders;
}

std::vector<path> cudnnFolders() {
  std::vector<path> folders = libraryFolders();
  const char* value = std::getenv("CUDNN_PATH");
  if (value == nullptr || *value == '\0') return folders;
  std::error_code ignored;
  for (const char* part : {"lib64", "lib"})
    if (std::filesystem::is_directory(path(value) / part, ignored))
      folders.insert(folders.begin(), path(value) / part);
  return folders;
}

std::vector<std::string> libraryNames(const std::string& stem) {
  constexpr int kBuilt = CUDART_VERSION / 1000;
  std::vector<std::string> names{stem + ".so." + std::to_string(kBuilt)};
  for (const int other : {13, 12})
    if (other != kBuilt) names.push_back(stem + ".so." + std::to_string(other));
  return names;
}

std::optional<path> headerFolder() {
  std::vector<path> candidates{moduleFolder() / "cuda-include"};
  for (const path& root : toolkitRoots())
    for (const char* part : {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"})
      candidates.push_back(root / part);
  candidates.emplace_back(OPSCOPE_BUILD_CUDA_INCLUDE);
  for (const path& candidate : candidates) {
    std::error_code ignored;
    if (std::filesystem::exists(candidate / "cuda_fp16.h", ignored) &&
        std::filesystem::exists(candidate / "cuda_bf16.h", ignored))
      return candidate;
  }
  return std::nullopt;
}

}  // namespace opscope::cuda
