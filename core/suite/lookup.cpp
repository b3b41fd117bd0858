// SPDX-License-Identifier: Apache-2.0
#include "suite/lookup.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/near_names.h"

namespace opscope {

const CatalogueInfo::Op& opNamed(const CatalogueInfo& catalogue, const std::string& name) {
  std::vector<std::string> known;
  for (const CatalogueInfo::Op& op : catalogue.ops) {
    if (op.name == name) return op;
    known.push_back(op.name);
  }
  throw UnknownName(fmt::format("There is no op '{}'", name), nameRemedy(name, known, "ops"));
}

const CatalogueInfo::Workload& workloadNamed(const CatalogueInfo::Op& op, const std::string& label) {
  std::vector<std::string> known;
  for (const CatalogueInfo::Workload& workload : op.workloads) {
    if (workload.label == label) return workload;
    known.push_back(workload.label);
  }
  throw UnknownName(fmt::format("{} has no workload '{}'", op.name, label),
                    nameRemedy(label, known, "workloads"));
}

std::vector<std::string> implementationsFor(const CatalogueInfo::Op& op, const std::string& deviceKind) {
  std::vector<std::string> names;
  for (const CatalogueInfo::Implementation& implementation : op.implementations)
    if (std::count(implementation.deviceKinds.begin(), implementation.deviceKinds.end(), deviceKind) > 0)
      names.push_back(implementation.name);
  return names;
}

}  // namespace opscope
