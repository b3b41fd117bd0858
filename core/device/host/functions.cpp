// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "device/host/host_device.h"

namespace opscope::host {

std::int64_t Tensor::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): moved into the table, which the check does not see
void Functions::add(std::string name, Function function) {
  if (!function) throw InternalError(fmt::format("The host function \"{}\" is empty", name));
  const auto [at, added] = functions_.try_emplace(std::move(name), std::move(function));
  if (!added) throw InternalError(fmt::format("The host function \"{}\" was registered twice", at->first));
}

const Function* Functions::find(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

std::vector<std::string> Functions::names() const {
  std::vector<std::string> names;
  names.reserve(functions_.size());
  for (const auto& [name, function] : functions_) names.push_back(name);
  return names;
}

Functions& Functions::global() {
  static Functions functions;
  return functions;
}

}  // namespace opscope::host
