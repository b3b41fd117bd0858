// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/drift.h"

#include <algorithm>

#include "stats/summary.h"

namespace opscope::ui {

bool Drift::has(std::optional<int> TelemetrySample::* field) const {
  return std::any_of(readings.begin(), readings.end(),
                     [field](const DriftReading& reading) { return (reading.sample.*field).has_value(); });
}

Drift driftOf(const Run& run) {
  Drift drift;
  drift.points.resize(run.implementations.size());
  if (run.passes.empty()) return drift;
  const std::int64_t epoch = run.passes.front()->startedUnixNs;
  const auto seconds = [epoch](std::int64_t unixNs) {
    return static_cast<double>(unixNs - epoch) / static_cast<double>(kSecond);
  };
  for (std::uint32_t p = 0; p < run.passes.size(); ++p) {
    const Pass& pass = *run.passes[p];
    drift.seconds = std::max(drift.seconds, seconds(pass.finishedUnixNs));
    const auto& marks = pass.trace.iterations;
    if (marks.empty()) continue;
    const std::int64_t toWall = pass.finishedUnixNs - marks.back().drained;
    for (const TelemetrySample& sample : pass.telemetry) {
      drift.readings.push_back({seconds(sample.at + toWall), sample});
    }
    if (pass.failure || pass.samples.empty() || pass.implementation >= run.implementations.size() ||
        run.implementations[pass.implementation].failure)
      continue;
    std::vector<Ns> busy;
    for (std::uint32_t i = 0; i < std::min(marks.size(), pass.samples.size()); ++i) {
      busy.push_back(pass.samples[i].busy);
      drift.points[pass.implementation].push_back(
          {seconds(marks[i].called + toWall), pass.samples[i].busy, {p, i}});
    }
    drift.passes.push_back({p, pass.implementation, seconds(marks.front().called + toWall),
                            seconds(pass.finishedUnixNs), summarise(busy).median});
  }
  std::stable_sort(drift.readings.begin(), drift.readings.end(),
                   [](const DriftReading& a, const DriftReading& b) { return a.seconds < b.seconds; });
  return drift;
}

std::uint64_t heldDownBy(const std::optional<std::uint64_t>& reasons) {
  return reasons.value_or(0) & (kThrottlePower | kThrottleThermal | kThrottleHardware);
}

}  // namespace opscope::ui
