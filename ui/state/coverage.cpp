// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/coverage.h"

#include <algorithm>

namespace opscope::ui {
namespace {

std::vector<double> sumsOf(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  std::vector<double> sums(values.size() + 1, 0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i + 1] = sums[i] + values[i];
  return sums;
}

/// The integral up to `at` of how many of the instants have passed.
double passed(const std::vector<double>& instants, const std::vector<double>& sums, double at) {
  const auto count =
      static_cast<std::size_t>(std::lower_bound(instants.begin(), instants.end(), at) - instants.begin());
  return at * static_cast<double>(count) - sums[count];
}

}  // namespace

Coverage::Coverage(const std::vector<Interval>& intervals, std::size_t of)
    : of_(static_cast<double>(std::max<std::size_t>(1, of))) {
  for (const Interval& interval : intervals) {
    starts_.push_back(static_cast<double>(interval.start));
    ends_.push_back(static_cast<double>(interval.end));
  }
  startSums_ = sumsOf(starts_);
  endSums_ = sumsOf(ends_);
}

double Coverage::before(double at) const {
  return passed(starts_, startSums_, at) - passed(ends_, endSums_, at);
}

double Coverage::share(double from, double to) const {
  if (starts_.empty() || !(to > from)) return 0;
  return (before(to) - before(from)) / (to - from) / of_;
}

}  // namespace opscope::ui
