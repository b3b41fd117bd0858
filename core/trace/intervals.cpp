// SPDX-License-Identifier: Apache-2.0
#include "trace/intervals.h"

#include <algorithm>

namespace opscope {

std::vector<Interval> unionOf(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<Interval> joined;
  for (const Interval& next : intervals) {
    if (next.end <= next.start) continue;
    if (!joined.empty() && next.start <= joined.back().end)
      joined.back().end = std::max(joined.back().end, next.end);
    else
      joined.push_back(next);
  }
  return joined;
}

Ns covered(std::span<const Interval> disjoint, Interval window) {
  Ns total = 0;
  auto at = std::upper_bound(disjoint.begin(), disjoint.end(), window.start,
                             [](Ns instant, const Interval& i) { return instant < i.end; });
  for (; at != disjoint.end() && at->start < window.end; ++at)
    total += std::max<Ns>(0, std::min(at->end, window.end) - std::max(at->start, window.start));
  return total;
}

}  // namespace opscope
