// SPDX-License-Identifier: Apache-2.0
#include "cuda/launch_apis.h"

#include <cctype>

namespace opscope::cuda {

std::string_view plainApiName(std::string_view apiName) {
  while (!apiName.empty() && apiName.front() == '_') apiName.remove_prefix(1);
  const auto dropVersion = [&] {
    const std::size_t at = apiName.rfind("_v");
    if (at == std::string_view::npos || at + 2 == apiName.size()) return;
    for (std::size_t i = at + 2; i < apiName.size(); ++i)
      if (std::isdigit(static_cast<unsigned char>(apiName[i])) == 0) return;
    apiName = apiName.substr(0, at);
  };
  const auto dropStream = [&] {
    for (const std::string_view suffix : {"_ptsz", "_ptds"})
      if (apiName.ends_with(suffix)) apiName.remove_suffix(suffix.size());
  };
  // The runtime's names end in _ptsz_v7000, the driver's in _v2_ptsz.
  dropVersion();
  dropStream();
  dropVersion();
  return apiName;
}

std::optional<LaunchKind> launchKindOf(std::string_view apiName) {
  std::string_view name = plainApiName(apiName);
  if (name.starts_with("cuda") || name.starts_with("cu64"))
    name.remove_prefix(4);
  else if (name.starts_with("cu"))
    name.remove_prefix(2);
  else
    return std::nullopt;
  if (name.starts_with("LaunchHostFunc")) return std::nullopt;
  if (name.starts_with("Launch")) return LaunchKind::Kernel;
  if (name.starts_with("GraphLaunch")) return LaunchKind::Graph;
  if (name.starts_with("Memcpy")) return LaunchKind::Copy;
  if (name.starts_with("Memset")) return LaunchKind::Set;
  return std::nullopt;
}

}  // namespace opscope::cuda
