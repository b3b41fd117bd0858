// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/focus.h"

#include "state/navigation.h"

namespace opscope::ui {

Selected medianSelection(const std::shared_ptr<const Run>& run, std::uint32_t implementation) {
  Selected chosen;
  chosen.run = run;
  if (implementation >= run->implementations.size()) return chosen;
  if (run->implementations[implementation].hasNumber()) {
    if (const auto median = medianIteration(*run, implementation)) {
      chosen.pass = static_cast<std::int32_t>(median->pass);
      chosen.iteration = static_cast<std::int32_t>(median->iteration);
      if (const auto gap = largestGap(*run->passes[median->pass], median->iteration)) {
        chosen.item = {SelectedItem::Kind::Gap, *gap};
      }
      return chosen;
    }
  }
  for (std::size_t i = 0; i < run->passes.size(); ++i) {
    if (run->passes[i]->implementation != implementation || run->passes[i]->trace.iterations.empty())
      continue;
    chosen.pass = static_cast<std::int32_t>(i);
    chosen.iteration = 0;
    break;
  }
  return chosen;
}

Selected openingSelection(const std::shared_ptr<const Run>& run) {
  std::uint32_t best = 0;
  double bestGap = -1;
  for (std::uint32_t i = 0; i < run->implementations.size(); ++i) {
    const auto& result = run->implementations[i];
    if (result.hasNumber() && result.gap.median > bestGap) {
      best = i;
      bestGap = result.gap.median;
    }
  }
  return medianSelection(run, best);
}

}  // namespace opscope::ui
