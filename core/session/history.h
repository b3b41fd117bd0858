// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/earlier.h"
#include "session/export.h"
#include "session/summary_rows.h"

namespace opscope {

/// A run, and which of the sessions it is from.
struct HistoryRun {
  std::shared_ptr<const Run> run;
  std::size_t session = 0;
};

/// One number of a series.
struct HistoryPoint {
  std::shared_ptr<const Run> run;
  std::uint32_t implementation = 0;
  std::size_t session = 0;
  Summary busy;  ///< ns
  /// Against the reference of its series; absent for that one itself.
  std::optional<AgainstEarlier> against;
  bool otherKernels() const {
    return against && (!against->kernelsOnlyNow.empty() || !against->kernelsOnlyThen.empty());
  }
};

/// Busy of one op, workload and implementation under one key (device, method, L2, clocks) over time.
struct HistorySeries {
  std::string implementation;
  std::vector<HistoryPoint> points;  ///< by the time they were measured
  std::size_t reference = 0;         ///< the point that the others are compared with
  /// What a difference to the reference must exceed to count: the device's noise floor, where one is known.
  Threshold band;
  const Run& first() const { return *points.front().run; }
};

/// Groups runs into series; implementations without a number have no point, nor have imported
/// runs, which nothing is compared with. Series stand in the order of
/// their first points. What was measured under another key than the first point of a series begins another.
/// `reference`: a run and implementation that is the reference of its series; the first point elsewhere.
/// Pure.
std::vector<HistorySeries> historyOf(std::span<const HistoryRun> runs,
                                     const HistoryPoint* reference = nullptr);

/// One table per series. `names` are those of the sessions.
std::vector<FurtherTable> historyTables(const std::vector<HistorySeries>& history,
                                        const std::vector<std::string>& names);
/// A row per point.
std::string historyCsv(const std::vector<HistorySeries>& history, const std::vector<std::string>& names);

/// "Noise floor of the device: 1.4 %", or what stands in for it.
std::string bandSentence(const HistorySeries& series);

}  // namespace opscope
