// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "session/run.h"
#include "state/selection.h"

namespace opscope::ui {

/// A histogram with bins of one width for all implementations, and each one's cumulative share.
struct Distribution {
  struct Series {
    std::uint32_t implementation = 0;
    std::vector<std::uint32_t> counts;  ///< by bin
    std::vector<Ns> sorted;             ///< the values: the share at sorted[i] is (i + 1) / n
  };
  Ns from = 0;   ///< where the first bin begins
  Ns width = 1;  ///< of a bin: a multiple of the timestamps' tick, else the bins would show the tick
  std::size_t bins = 0;
  std::vector<Series> series;  ///< of the implementations that have a number
};

/// Of one quantity over all iterations; with `around` of that implementation and of those whose median is
/// near enough to share an axis with it. What lies far above the rest is in the last bin. Pure.
Distribution distributionOf(const Run& run, Brush::Quantity quantity, std::int32_t around = -1);

}  // namespace opscope::ui
