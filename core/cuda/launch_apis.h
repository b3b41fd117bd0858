// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/records.h"

namespace opscope::cuda {

/// What an API function puts into a stream, by its name in CUPTI ("cudaLaunchKernelExC_v11060"); nullopt when
/// it launches nothing. Host functions and the building of graphs launch nothing.
std::optional<LaunchKind> launchKindOf(std::string_view apiName);

/// The name as a programmer knows it: without CUPTI's version and stream suffixes and underscores.
std::string_view plainApiName(std::string_view apiName);

/// The functions of one API (runtime or driver), by callback id.
struct ApiTable {
  struct Entry {
    std::string name;
    std::optional<LaunchKind> launch;
  };
  std::vector<Entry> entries;

  const Entry* find(std::uint32_t callbackId) const {
    return callbackId < entries.size() ? &entries[callbackId] : nullptr;
  }
};

}  // namespace opscope::cuda
