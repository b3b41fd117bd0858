// SPDX-License-Identifier: Apache-2.0
#include "cuda/library.h"

#include <dlfcn.h>
#include <link.h>

namespace opscope::cuda {
namespace {

std::string fileOf(void* handle, const std::string& name) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name[0] != '\0')
    return map->l_name;
  return name;
}

}  // namespace

namespace {

// The path of a loaded file whose name is `stem` followed by nothing or a version.
std::string loadedFile(const std::string& stem) {
  struct Search {
    std::string stem;
    std::string found;
  } search{stem + ".so", {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
        const std::string_view name = path.substr(path.rfind('/') + 1);
        if (!name.starts_with(wanted.stem)) return 0;
        if (name.size() > wanted.stem.size() && name[wanted.stem.size()] != '.') return 0;
        wanted.found = path;
        return 1;
      },
      &search);
  return search.found;
}

}  // namespace

Library Library::openLoaded(const std::string& stem) {
  Library library;
  const std::string file = loadedFile(stem);
  if (file.empty()) return library;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle == nullptr) return library;
  library.handle_ = std::shared_ptr<void>(handle, [](void*) {});
  library.path_ = file;
  return library;
}

Library Library::open(const std::vector<std::string>& names,
                      const std::vector<std::filesystem::path>& folders) {
  Library library;
  // Never closed: CUDA's libraries own threads and exit handlers that outlive every handle to them.
  const auto tryOpen = [&](const std::string& name) {
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    library.handle_ = std::shared_ptr<void>(handle, [](void*) {});
    library.path_ = fileOf(handle, name);
    library.problem_.clear();
    return true;
  };
  for (const std::string& name : names)
    if (tryOpen(name)) return library;
  for (const std::string& name : names)
    for (const auto& folder : folders) {
      std::error_code ignored;
      const auto file = folder / name;
      if (!std::filesystem::exists(file, ignored)) continue;
      if (tryOpen(file.string())) return library;
      if (const char* said = dlerror()) library.problem_ = said;
    }
  return library;
}

void* Library::address(const char* name) const {
  return handle_ ? dlsym(handle_.get(), name) : nullptr;
}

}  // namespace opscope::cuda
