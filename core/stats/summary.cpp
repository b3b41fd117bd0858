// SPDX-License-Identifier: Apache-2.0
#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace opscope {

Summary summarise(std::span<const Ns> values) {
  Summary summary;
  summary.n = values.size();
  if (values.empty()) return summary;
  std::vector<Ns> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double p) {
    return static_cast<double>(
        sorted[static_cast<std::size_t>(std::lround(p * static_cast<double>(sorted.size() - 1)))]);
  };
  const std::size_t middle = sorted.size() / 2;
  summary.median = sorted.size() % 2 == 1
                       ? static_cast<double>(sorted[middle])
                       : (static_cast<double>(sorted[middle - 1]) + static_cast<double>(sorted[middle])) / 2;
  summary.p10 = at(0.1);
  summary.p90 = at(0.9);
  summary.min = static_cast<double>(sorted.front());
  summary.max = static_cast<double>(sorted.back());
  summary.iqr = at(0.75) - at(0.25);
  return summary;
}

}  // namespace opscope
