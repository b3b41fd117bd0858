// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/distribution.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {
namespace {

constexpr double kMostBins = 120;
constexpr double kNear = 1.7;  // medians further apart leave each histogram a few pixels

double quantile(const std::vector<Ns>& sorted, double share) {
  return static_cast<double>(
      sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))]);
}

}  // namespace

Distribution distributionOf(const Run& run, Brush::Quantity quantity, std::int32_t around) {
  Distribution made;
  const auto medianOf = [&](const ImplementationResult& result) {
    return quantity == Brush::Quantity::Busy ? result.busy.median : result.latency.median;
  };
  const auto centre = static_cast<std::size_t>(around);
  const bool all =
      around < 0 || centre >= run.implementations.size() || !run.implementations[centre].hasNumber();
  const auto isNear = [&](std::uint32_t i) {
    if (all) return true;
    const double ratio =
        medianOf(run.implementations[i]) / std::max(1.0, medianOf(run.implementations[centre]));
    return ratio < kNear && ratio > 1 / kNear;
  };
  std::vector<Ns> values;
  double width = 0;  // the narrowest that suits one of them
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    if (!run.implementations[i].hasNumber() || !isNear(i)) continue;
    Distribution::Series series;
    series.implementation = i;
    for (const Pass* pass : run.passesOf(i)) {
      for (const Sample& sample : pass->samples) series.sorted.push_back(valueOf(sample, quantity));
    }
    if (series.sorted.empty()) continue;
    std::sort(series.sorted.begin(), series.sorted.end());
    values.insert(values.end(), series.sorted.begin(), series.sorted.end());
    // Freedman and Diaconis.
    const double own = 2 * (quantile(series.sorted, 0.75) - quantile(series.sorted, 0.25)) /
                       std::cbrt(static_cast<double>(series.sorted.size()));
    if (own > 0) width = width > 0 ? std::min(width, own) : own;
    made.series.push_back(std::move(series));
  }
  if (values.empty()) return made;
  std::sort(values.begin(), values.end());
  const auto tick = static_cast<double>(std::max<Ns>(1, run.timestampTick));
  const auto low = static_cast<double>(values.front());
  // A stray iteration must not squeeze all others into one bin.
  const double high =
      std::min(static_cast<double>(values.back()), 3 * quantile(values, 0.99) - 2 * low + tick);
  width = std::max({width, (high - low) / kMostBins, tick});
  made.width = std::llround(std::ceil(width / tick) * tick);
  made.from = values.front();
  made.bins = static_cast<std::size_t>((high - low) / static_cast<double>(made.width)) + 1;
  for (auto& series : made.series) {
    series.counts.assign(made.bins, 0);
    for (const Ns value : series.sorted) {
      const auto bin = static_cast<std::size_t>((value - made.from) / made.width);
      ++series.counts[std::min(bin, made.bins - 1)];
    }
  }
  return made;
}

}  // namespace opscope::ui
