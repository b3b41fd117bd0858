// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <mutex>

#include "base/error.h"
#include "ops/host/host_ops.h"
#include "ops/host_list.h"  // made by the build: one line for each file in host/

namespace opscope {

void HostOps::function(const std::string& name, host::Function function) {
  if (!functions_.emplace(name, std::move(function)).second)
    throw InternalError(fmt::format("The host function {} is registered twice", name));
}

void HostOps::reference(const std::string& name, Reference reference) {
  if (!references_.emplace(name, std::move(reference)).second)
    throw InternalError(fmt::format("The reference {} is registered twice", name));
}

const HostOps& builtInHostOps() {
  static const HostOps known = [] {
    HostOps ops;
    registerHostOps(ops);
    return ops;
  }();
  return known;
}

void registerHostFunctions() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const auto& [name, function] : builtInHostOps().functions())
      host::Functions::global().add(name, function);
  });
}

}  // namespace opscope
