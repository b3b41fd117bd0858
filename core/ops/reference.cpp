// SPDX-License-Identifier: Apache-2.0
#include "ops/reference.h"

#include <fmt/format.h>

#include "ops/host/host_ops.h"
#include "ops/near_names.h"

namespace opscope {

bool hasReference(const std::string& name) {
  return builtInHostOps().references().contains(name);
}

std::vector<std::string> referenceNames() {
  std::vector<std::string> names;
  for (const auto& [name, function] : builtInHostOps().references()) names.push_back(name);
  return names;
}

const Reference& reference(const std::string& name) {
  const auto& known = builtInHostOps().references();
  const auto found = known.find(name);
  if (found == known.end())
    throw UnknownName(fmt::format("There is no reference \"{}\"", name),
                      nameRemedy(name, referenceNames(), "references"));
  return found->second;
}

}  // namespace opscope
