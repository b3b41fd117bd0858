// SPDX-License-Identifier: Apache-2.0
#include "device/profile_marks.h"

#include <dlfcn.h>

#include <system_error>

#include "device/module.h"

namespace opscope {

ProfileMarks::ProfileMarks(const std::string& kind) {
  for (const auto& folder : moduleFolders()) {
    const auto file = folder / ("libopscope_" + kind + ".so");
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    // Only one that is loaded already; it stays so, as modules do.
    if (void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD))
      mark_ = reinterpret_cast<MarkProfile>(::dlsym(module, kMarkProfileEntry));
    return;
  }
}

}  // namespace opscope
