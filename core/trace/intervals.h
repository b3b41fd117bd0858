// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/ns.h"

namespace opscope {

/// A half-open stretch of time [start, end).
struct Interval {
  Ns start = 0;
  Ns end = 0;
  Ns length() const { return end - start; }
  bool operator==(const Interval&) const = default;
};

/// The union of intervals, as disjoint intervals in order; touching ones are joined. Sorts its argument.
std::vector<Interval> unionOf(std::vector<Interval> intervals);

/// How much of `window` the disjoint, ordered intervals cover.
Ns covered(std::span<const Interval> disjoint, Interval window);

}  // namespace opscope
