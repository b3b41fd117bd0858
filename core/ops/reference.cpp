// SPDX-License-Identifier: Apache-2.0
#include "ops/reference.h"

#include <fmt/format.h>

#include "ops/near_names.h"
#include "ops/reference_builtin.h"

namespace opscope {
namespace {

const std::map<std::string, Reference>& references() {
  static const std::map<std::string, Reference> known{
      {"add", referenceAdd},   {"rms_norm", referenceRmsNorm}, {"gemm", referenceGemm},
      {"same", referenceSame}, {"twice", referenceTwice},
  };
  return known;
}

}  // namespace

bool hasReference(const std::string& name) {
  return references().contains(name);
}

std::vector<std::string> referenceNames() {
  std::vector<std::string> names;
  for (const auto& [name, function] : references()) names.push_back(name);
  return names;
}

const Reference& reference(const std::string& name) {
  const auto found = references().find(name);
  if (found == references().end())
    throw UnknownName(fmt::format("There is no reference \"{}\"", name),
                      nameRemedy(name, referenceNames(), "references"));
  return found->second;
}

}  // namespace opscope
