// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/navigation.h"

#include <algorithm>

namespace opscope::ui {

IndexRange gapsOf(const Pass& pass, std::uint32_t iteration) {
  const auto from = std::lower_bound(pass.gaps.begin(), pass.gaps.end(), iteration,
                                     [](const Gap& gap, std::uint32_t i) { return gap.iteration < i; });
  const auto to = std::upper_bound(from, pass.gaps.end(), iteration,
                                   [](std::uint32_t i, const Gap& gap) { return i < gap.iteration; });
  return {static_cast<std::uint32_t>(from - pass.gaps.begin()),
          static_cast<std::uint32_t>(to - pass.gaps.begin())};
}

std::optional<std::uint32_t> largestGap(const Pass& pass, std::uint32_t iteration) {
  const IndexRange range = gapsOf(pass, iteration);
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = range.from; i < range.to; ++i) {
    if (!best || pass.gaps[i].length() > pass.gaps[*best].length()) best = i;
  }
  return best;
}

std::optional<std::uint32_t> gapFrom(const Pass& pass, std::uint32_t iteration, Ns at, int direction) {
  const IndexRange range = gapsOf(pass, iteration);
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = range.from; i < range.to; ++i) {
    if (direction > 0 && pass.gaps[i].start > at) return i;
    if (direction < 0 && pass.gaps[i].start < at) found = i;
  }
  return found;
}

std::optional<std::uint32_t> kernelBeside(const IterationLanes& lanes, std::uint32_t kernel, int direction) {
  for (const Lane& lane : lanes.lanes) {
    if (lane.kind != LaneKind::Stream && lane.kind != LaneKind::Stray) continue;
    const auto at = std::find_if(lane.items.begin(), lane.items.end(),
                                 [kernel](const LaneItem& item) { return item.index == kernel; });
    if (at == lane.items.end()) continue;
    if (direction < 0) return at == lane.items.begin() ? std::nullopt : std::optional((at - 1)->index);
    return at + 1 == lane.items.end() ? std::nullopt : std::optional((at + 1)->index);
  }
  return std::nullopt;
}

std::optional<IterationRef> iterationBeside(const Run& run, IterationRef at, int direction) {
  if (at.pass >= run.passes.size()) return std::nullopt;
  const auto count = [&](std::size_t pass) { return run.passes[pass]->trace.iterations.size(); };
  if (direction > 0 && at.iteration + 1 < count(at.pass)) return IterationRef{at.pass, at.iteration + 1};
  if (direction < 0 && at.iteration > 0) return IterationRef{at.pass, at.iteration - 1};
  const std::uint32_t implementation = run.passes[at.pass]->implementation;
  for (std::int64_t pass = std::int64_t{at.pass} + direction;
       pass >= 0 && pass < static_cast<std::int64_t>(run.passes.size()); pass += direction) {
    const auto place = static_cast<std::uint32_t>(pass);
    if (run.passes[place]->implementation != implementation || count(place) == 0) continue;
    return IterationRef{place, direction > 0 ? 0 : static_cast<std::uint32_t>(count(place) - 1)};
  }
  return std::nullopt;
}

}  // namespace opscope::ui
