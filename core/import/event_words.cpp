// SPDX-License-Identifier: Apache-2.0
#include "import/event_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace opscope {
namespace {

bool equalIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

constexpr std::array kKinds = std::to_array<std::pair<std::string_view, EventKind>>({
    {"kernel", EventKind::Kernel},
    {"gpu_memcpy", EventKind::Copy},
    {"memcpy", EventKind::Copy},
    {"gpu_memset", EventKind::Set},
    {"memset", EventKind::Set},
    {"cuda_runtime", EventKind::Api},
    {"cuda_driver", EventKind::Api},
    {"runtime", EventKind::Api},
    {"driver", EventKind::Api},
    {"overhead", EventKind::Overhead},
    {"user_annotation", EventKind::Annotation},
});

}  // namespace

EventKind eventKindOf(std::string_view category) {
  for (const auto& [name, kind] : kKinds)
    if (equalIgnoringCase(category, name)) return kind;
  return EventKind::Ignored;
}

LaunchKind launchKindOf(std::string_view name) {
  if (name.starts_with("cuda"))
    name.remove_prefix(4);
  else if (name.starts_with("cu") || name.starts_with("hip"))
    name.remove_prefix(name.starts_with("cu") ? 2 : 3);
  else
    return LaunchKind::Other;
  if (name.starts_with("GraphLaunch")) return LaunchKind::Graph;
  // cuLaunchHostFunc and cudaLaunchHostFunc run on the host.
  if (name.starts_with("Launch") && !name.starts_with("LaunchHostFunc")) return LaunchKind::Kernel;
  if (name.starts_with("ExtLaunch") || name.starts_with("ModuleLaunch")) return LaunchKind::Kernel;
  if (name.starts_with("Memcpy")) return LaunchKind::Copy;
  if (name.starts_with("Memset")) return LaunchKind::Set;
  return LaunchKind::Other;
}

MemopKind copyKindOf(std::string_view name) {
  if (name.starts_with("Memcpy ")) name.remove_prefix(7);
  if (name.starts_with("HtoD")) return MemopKind::CopyHtoD;
  if (name.starts_with("DtoH")) return MemopKind::CopyDtoH;
  if (name.starts_with("DtoD")) return MemopKind::CopyDtoD;
  if (name.starts_with("HtoH")) return MemopKind::CopyHtoH;
  if (name.starts_with("PtoP")) return MemopKind::CopyPeer;
  return MemopKind::Other;
}

}  // namespace opscope
