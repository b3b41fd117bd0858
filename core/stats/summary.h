// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "base/ns.h"

namespace opscope {

/// Order statistics of one quantity over iterations, in nanoseconds. Quantiles are sorted[round(p * (n -
/// 1))], the median of an even count the mean of its two middle values. All 0 for n = 0.
struct Summary {
  std::size_t n = 0;
  double median = 0;
  double p10 = 0;
  double p90 = 0;
  double min = 0;
  double max = 0;
  double iqr = 0;
};

Summary summarise(std::span<const Ns> values);

}  // namespace opscope
