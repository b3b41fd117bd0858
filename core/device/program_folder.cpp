// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "device/code_folder.h"
#include "device/provider.h"

namespace opscope {

std::filesystem::path programFolder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    throw CannotRead(
        fmt::format("The program's own folder is unknown: /proc/self/exe cannot be read ({})",
                    error.message()),
        "Mount /proc, or name the resources with OPSCOPE_RESOURCES and modules with OPSCOPE_MODULE_PATH.");
  return program.parent_path();
}

std::filesystem::path codeFolder() {
  Dl_info info{};
  std::error_code ignored;
  if (::dladdr(reinterpret_cast<const void*>(&codeFolder), &info) != 0 && info.dli_fname != nullptr) {
    const auto file = std::filesystem::canonical(info.dli_fname, ignored);
    if (!ignored) return file.parent_path();
  }
  return programFolder();
}

std::filesystem::path resourceFolder() {
  std::error_code ignored;
  // What the user named is taken or refused, never silently replaced by something else.
  if (const char* named = std::getenv("OPSCOPE_RESOURCES"); named != nullptr && *named != '\0') {
    if (std::filesystem::is_directory(named, ignored)) return named;
    throw CannotRead(fmt::format("OPSCOPE_RESOURCES names {}, which is not a folder that can be read", named),
                     "Correct it, or unset it to use the resources beside the program.");
  }
  std::vector<std::filesystem::path> candidates{(programFolder() / "../share/opscope").lexically_normal(),
                                                OPSCOPE_SOURCE_RESOURCES};
  // In a library of another program's, what lies beside the library comes first.
  if (const auto code = codeFolder(); code != programFolder())
    candidates.insert(candidates.begin(), code / "resources");
  for (const auto& folder : candidates)
    if (std::filesystem::is_directory(folder, ignored)) return folder;
  std::vector<std::string> looked;
  for (const auto& folder : candidates) looked.push_back(folder.string());
  throw CannotRead(
      fmt::format("The resources (ops, kernels, samples) were found in none of {}", fmt::join(looked, ", ")),
      "Keep the unpacked folders together, or name the resource folder with OPSCOPE_RESOURCES.");
}

}  // namespace opscope
