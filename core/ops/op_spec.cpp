// SPDX-License-Identifier: Apache-2.0
#include "ops/op_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/near_names.h"

namespace opscope {

const WorkloadSpec& OpSpec::workload(const std::string& label) const {
  for (const WorkloadSpec& candidate : workloads)
    if (candidate.label == label) return candidate;
  std::vector<std::string> labels;
  for (const WorkloadSpec& candidate : workloads) labels.push_back(candidate.label);
  throw UnknownName(fmt::format("{} has no workload \"{}\"", name, label),
                    nameRemedy(label, labels, "workloads"));
}

const ImplementationSpec& OpSpec::implementation(const std::string& wanted) const {
  for (const ImplementationSpec& candidate : implementations)
    if (candidate.name == wanted) return candidate;
  std::vector<std::string> names;
  for (const ImplementationSpec& candidate : implementations) names.push_back(candidate.name);
  throw UnknownName(fmt::format("{} has no implementation \"{}\"", name, wanted),
                    nameRemedy(wanted, names, "implementations"));
}

std::vector<std::string> OpSpec::implementationsFor(const std::string& deviceKind) const {
  std::vector<std::string> names;
  for (const ImplementationSpec& candidate : implementations)
    if (candidate.bodies.contains(deviceKind)) names.push_back(candidate.name);
  return names;
}

}  // namespace opscope
