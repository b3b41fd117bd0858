// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "trace/intervals.h"

namespace opscope::ui {

/// How much of any stretch of time many intervals cover on average, overlaps counted as often as they occur.
/// Two binary searches a question, whatever the number of intervals. Pure.
class Coverage {
 public:
  Coverage() = default;
  /// `of`: how many iterations the intervals come from.
  Coverage(const std::vector<Interval>& intervals, std::size_t of);

  /// In [0, 1] where no iteration overlaps itself.
  double share(double from, double to) const;
  bool empty() const { return starts_.empty(); }

 private:
  double before(double at) const;

  std::vector<double> starts_;
  std::vector<double> ends_;
  std::vector<double> startSums_;
  std::vector<double> endSums_;
  double of_ = 1;
};

}  // namespace opscope::ui
