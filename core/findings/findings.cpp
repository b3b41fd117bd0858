// SPDX-License-Identifier: Apache-2.0
#include "findings/findings.h"

#include <algorithm>
#include <array>

#include "findings/rules.h"

namespace opscope {
namespace {

using Rule = void (*)(const findings::Subject&, std::vector<Finding>&);
constexpr std::array<Rule, 7> kRules{findings::ruleResults,    findings::ruleKernels, findings::ruleGaps,
                                     findings::ruleExperiment, findings::ruleDevice,  findings::ruleMemory,
                                     findings::ruleSamples};

}  // namespace

std::vector<Finding> findIn(const Run& run) {
  std::vector<Finding> found;
  for (std::size_t i = 0; i < run.implementations.size(); ++i) {
    const ImplementationResult& result = run.implementations[i];
    if (!result.hasNumber()) continue;
    findings::Subject subject{run, static_cast<std::int32_t>(i), result, {}};
    for (std::uint32_t p = 0; p < run.passes.size(); ++p)
      if (run.passes[p]->implementation == i) subject.passes.push_back(p);
    for (const Rule rule : kRules) rule(subject, found);
  }
  findings::ruleClocks(run, found);
  findings::ruleProcesses(run, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return found;
}

}  // namespace opscope
