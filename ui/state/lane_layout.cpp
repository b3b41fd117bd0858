// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/lane_layout.h"

#include <algorithm>
#include <limits>
#include <map>

#include "state/navigation.h"

namespace opscope::ui {
namespace {

/// Rows in which nothing overlaps: each item goes into the first row that is free.
std::vector<std::vector<LaneItem>> intoRows(std::vector<LaneItem> items) {
  std::sort(items.begin(), items.end(), [](const LaneItem& a, const LaneItem& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  std::vector<std::vector<LaneItem>> rows;
  for (const LaneItem& item : items) {
    const auto free =
        std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.back().end <= item.start; });
    if (free == rows.end()) {
      rows.push_back({item});
    } else {
      free->push_back(item);
    }
  }
  return rows;
}

void addRows(IterationLanes& to, LaneKind kind, std::uint32_t id, std::vector<LaneItem> items) {
  std::uint32_t subLane = 0;
  for (auto& row : intoRows(std::move(items))) to.lanes.push_back({kind, id, subLane++, std::move(row)});
}

using ByStream = std::map<std::uint32_t, std::vector<LaneItem>>;

}  // namespace

PassIndex::PassIndex(std::shared_ptr<const Pass> pass)
    : pass_(std::move(pass)),
      attribution_(groupByIteration(pass_->trace)),
      externalIds_(pass_->trace.externalIds) {
  const Trace& trace = pass_->trace;
  const std::size_t n = trace.iterations.size();
  launchesFrom_.assign(n + 1, 0);
  const auto iterationOf = [&](std::uint32_t correlationId) { return externalIds_[correlationId]; };
  for (const auto& launch : trace.launches) {
    if (const auto at = iterationOf(launch.correlationId); at < n) ++launchesFrom_[at + 1];
  }
  for (std::size_t i = 0; i < n; ++i) launchesFrom_[i + 1] += launchesFrom_[i];
  launches_.resize(launchesFrom_.back());
  std::vector<std::uint32_t> next(launchesFrom_.begin(), launchesFrom_.end());
  for (std::uint32_t i = 0; i < trace.launches.size(); ++i) {
    if (const auto at = iterationOf(trace.launches[i].correlationId); at < n) launches_[next[at]++] = i;
  }
  for (std::uint32_t i = 0; i < trace.kernels.size(); ++i) {
    const auto at = iterationOf(trace.kernels[i].correlationId);
    if (at >= n && at != kPrepareId) strays_.push_back(i);
  }
}

std::span<const std::uint32_t> PassIndex::launchesOf(std::uint32_t iteration) const {
  return std::span(launches_).subspan(launchesFrom_[iteration],
                                      launchesFrom_[iteration + 1] - launchesFrom_[iteration]);
}

IterationLanes layOut(const PassIndex& index, std::uint32_t iteration, bool withNumbers) {
  IterationLanes laid;
  const Pass& pass = index.pass();
  const Trace& trace = pass.trace;
  if (iteration >= trace.iterations.size()) return laid;
  const IterationMark& mark = trace.iterations[iteration];
  const bool grouped = iteration < index.attribution().iterations();
  const auto kernels = grouped ? index.attribution().kernelsOf(iteration) : std::span<const std::uint32_t>();
  const auto memops = grouped ? index.attribution().memopsOf(iteration) : std::span<const std::uint32_t>();

  constexpr Ns kNever = std::numeric_limits<Ns>::max();
  Ns origin = kNever;
  for (const auto k : kernels) origin = std::min(origin, trace.kernels[k].start);
  if (origin == kNever) {
    for (const auto m : memops) origin = std::min(origin, trace.memops[m].start);
  }
  if (origin == kNever) origin = mark.called;
  laid.origin = origin;

  std::map<std::uint32_t, std::vector<LaneItem>> threads;
  for (const auto l : index.launchesOf(iteration)) {
    const LaunchRecord& launch = trace.launches[l];
    threads[launch.threadId].push_back({launch.start - origin, launch.end - origin, l});
  }
  for (auto& [thread, items] : threads) addRows(laid, LaneKind::Host, thread, std::move(items));

  ByStream streams;
  std::vector<Interval> intervals;
  for (const auto k : kernels) {
    const KernelRecord& kernel = trace.kernels[k];
    streams[kernel.streamId].push_back({kernel.start - origin, kernel.end - origin, k});
    intervals.push_back({kernel.start - origin, kernel.end - origin});
  }
  if (withNumbers && !intervals.empty()) {
    std::vector<LaneItem> busy;
    for (const Interval& interval : unionOf(std::move(intervals))) {
      busy.push_back({interval.start, interval.end, static_cast<std::uint32_t>(busy.size())});
    }
    laid.lanes.push_back({LaneKind::Busy, 0, 0, std::move(busy)});
    const IndexRange range = gapsOf(pass, iteration);
    std::vector<LaneItem> gaps;
    for (std::uint32_t g = range.from; g < range.to; ++g) {
      gaps.push_back({pass.gaps[g].start - origin, pass.gaps[g].end - origin, g});
    }
    if (!gaps.empty()) laid.lanes.push_back({LaneKind::Gaps, 0, 0, std::move(gaps)});
  }
  for (auto& [stream, items] : streams) addRows(laid, LaneKind::Stream, stream, std::move(items));

  ByStream strays;
  for (const auto k : index.strays()) {
    const KernelRecord& kernel = trace.kernels[k];
    if (kernel.start < mark.called || kernel.start > mark.drained) continue;
    strays[kernel.streamId].push_back({kernel.start - origin, kernel.end - origin, k});
  }
  for (auto& [stream, items] : strays) addRows(laid, LaneKind::Stray, stream, std::move(items));

  std::vector<LaneItem> copies;
  for (const auto m : memops)
    copies.push_back({trace.memops[m].start - origin, trace.memops[m].end - origin, m});
  addRows(laid, LaneKind::Copies, 0, std::move(copies));

  Interval extent{0, 0};
  for (const Lane& lane : laid.lanes) {
    for (const LaneItem& item : lane.items) {
      extent.start = std::min(extent.start, item.start);
      extent.end = std::max(extent.end, item.end);
    }
  }
  if (extent.length() == 0) extent.end = std::max<Ns>(1'000, mark.drained - origin);
  laid.extent = extent;
  return laid;
}

}  // namespace opscope::ui
