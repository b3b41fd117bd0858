// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/lane_layout.h"

#include <algorithm>
#include <map>

#include "state/navigation.h"
#include "trace/ranges.h"

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
  for (auto& row : intoRows(std::move(items))) to.lanes.push_back({kind, id, subLane++, std::move(row), {}});
}

Interval extentOf(const IterationMark& mark) {
  return {mark.called, mark.drained};
}

/// Inside `within`: a range whose other end was not recorded reaches to the edge of its iteration.
LaneItem rangeItem(const Trace& trace, std::uint32_t index, Interval within, Ns origin) {
  const RangeRecord& range = trace.ranges[index];
  if (const auto at = range.known != RangeKnown::Whole ? iterationOf(trace, range) : std::nullopt)
    within = extentOf(trace.iterations[*at]);
  const Ns start = range.known == RangeKnown::End ? within.start : range.start;
  const Ns end = range.known == RangeKnown::Beginning ? within.end : range.end;
  return {std::clamp(start, within.start, within.end) - origin,
          std::clamp(end, within.start, within.end) - origin, index};
}

/// Rows in which a range stands below all that were open when it began.
std::vector<std::vector<LaneItem>> nestedRows(std::vector<LaneItem> items) {
  std::stable_sort(items.begin(), items.end(), [](const LaneItem& a, const LaneItem& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::vector<std::vector<LaneItem>> rows;
  for (const LaneItem& item : items) {
    std::size_t row = rows.size();
    while (row > 0 && rows[row - 1].back().end <= item.start) --row;
    if (row == rows.size()) rows.emplace_back();
    rows[row].push_back(item);
  }
  return rows;
}

void addRanges(IterationLanes& to, const Trace& trace, const std::vector<std::uint32_t>& ranges,
               Interval within) {
  std::map<std::uint32_t, std::vector<LaneItem>> threads;
  for (const std::uint32_t r : ranges)
    threads[trace.ranges[r].threadId].push_back(rangeItem(trace, r, within, to.origin));
  for (auto& [thread, items] : threads) {
    std::uint32_t subLane = 0;
    for (auto& row : nestedRows(std::move(items)))
      to.lanes.push_back({LaneKind::Ranges, thread, subLane++, std::move(row), {}});
  }
}

using ByStream = std::map<std::uint32_t, std::vector<LaneItem>>;

void setExtent(IterationLanes& laid, Ns drained) {
  Interval extent{0, 0};
  for (const Lane& lane : laid.lanes) {
    for (const LaneItem& item : lane.items) {
      extent.start = std::min(extent.start, item.start);
      extent.end = std::max(extent.end, item.end);
    }
  }
  if (extent.length() == 0) extent.end = std::max<Ns>(1'000, drained - laid.origin);
  laid.extent = laid.opening = extent;
}

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
  indexRanges();
  for (std::uint32_t i = 0; i < trace.kernels.size(); ++i) {
    const auto at = iterationOf(trace.kernels[i].correlationId);
    if (at < n) continue;
    (at == kPrepareId ? prepares_ : strays_).push_back(i);
  }
  firstKernels_.assign(trace.launches.size(), Attribution::kNoLaunch);
  for (std::uint32_t k = 0; k < attribution_.launchOf.size(); ++k) {
    const std::uint32_t launch = attribution_.launchOf[k];
    if (launch >= firstKernels_.size()) continue;
    std::uint32_t& first = firstKernels_[launch];
    if (first == Attribution::kNoLaunch || trace.kernels[k].start < trace.kernels[first].start) first = k;
  }
  std::vector<Interval> intervals;
  intervals.reserve(attribution_.kernels.size());
  for (const std::uint32_t k : attribution_.kernels) {
    if (trace.kernels[k].start != 0) intervals.push_back({trace.kernels[k].start, trace.kernels[k].end});
  }
  busy_ = unionOf(std::move(intervals));
}

void PassIndex::indexRanges() {
  const Trace& trace = pass_->trace;
  const std::size_t n = trace.iterations.size();
  constexpr auto kElsewhere = ~std::uint32_t{0};
  std::vector<std::uint32_t> within(trace.ranges.size(), kElsewhere);
  rangesFrom_.assign(n + 1, 0);
  for (std::uint32_t r = 0; r < trace.ranges.size(); ++r) {
    const RangeRecord& range = trace.ranges[r];
    const auto begun = opscope::iterationOf(trace, range);
    if (range.known == RangeKnown::Whole && begun && !crossesIterations(trace, range)) {
      within[r] = *begun;
      ++rangesFrom_[*begun + 1];
    } else {
      longRanges_.push_back(r);
    }
  }
  for (std::size_t i = 0; i < n; ++i) rangesFrom_[i + 1] += rangesFrom_[i];
  ranges_.resize(rangesFrom_.back());
  std::vector<std::uint32_t> next(rangesFrom_.begin(), rangesFrom_.end());
  for (std::uint32_t r = 0; r < within.size(); ++r)
    if (within[r] != kElsewhere) ranges_[next[within[r]]++] = r;
}

std::vector<std::uint32_t> PassIndex::rangesOf(std::uint32_t iteration) const {
  const Trace& trace = pass_->trace;
  const IterationMark& mark = trace.iterations[iteration];
  std::vector<std::uint32_t> ranges;
  for (const std::uint32_t r : longRanges_) {
    const RangeRecord& range = trace.ranges[r];
    // One whose other end is not known is shown where the end that is known lies, and nowhere else.
    const bool here = range.known == RangeKnown::Whole
                          ? range.start <= mark.drained && range.end >= mark.called
                          : opscope::iterationOf(trace, range) == iteration;
    if (here) ranges.push_back(r);
  }
  ranges.insert(ranges.end(), ranges_.begin() + rangesFrom_[iteration],
                ranges_.begin() + rangesFrom_[iteration + 1]);
  return ranges;
}

Ns PassIndex::originOf(std::uint32_t iteration) const {
  const Trace& trace = pass_->trace;
  std::optional<Ns> first;
  const auto earlier = [&first](Ns start) {
    if (start != 0) first = first ? std::min(*first, start) : start;
  };
  if (iteration < attribution_.iterations()) {
    for (const auto k : attribution_.kernelsOf(iteration)) earlier(trace.kernels[k].start);
    if (!first) {
      for (const auto m : attribution_.memopsOf(iteration)) earlier(trace.memops[m].start);
    }
  }
  return first ? *first : iteration < trace.iterations.size() ? trace.iterations[iteration].called : 0;
}

std::int32_t PassIndex::iterationOf(std::uint32_t correlationId) const {
  const std::uint64_t at = externalIds_[correlationId];
  return at < pass_->trace.iterations.size() ? static_cast<std::int32_t>(at) : -1;
}

std::optional<std::uint32_t> PassIndex::launchOfKernel(std::uint32_t kernel) const {
  if (kernel >= attribution_.launchOf.size() || attribution_.launchOf[kernel] == Attribution::kNoLaunch)
    return std::nullopt;
  return attribution_.launchOf[kernel];
}

std::optional<std::uint32_t> PassIndex::firstKernelOfLaunch(std::uint32_t launch) const {
  if (launch >= firstKernels_.size() || firstKernels_[launch] == Attribution::kNoLaunch) return std::nullopt;
  return firstKernels_[launch];
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

  const Ns origin = index.originOf(iteration);
  laid.origin = origin;

  addRanges(laid, trace, index.rangesOf(iteration), extentOf(mark));

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
    if (kernel.start == 0) continue;  // the device gave no time: there is no place for it
    streams[kernel.streamId].push_back({kernel.start - origin, kernel.end - origin, k});
    intervals.push_back({kernel.start - origin, kernel.end - origin});
  }
  if (withNumbers && !intervals.empty()) {
    std::vector<LaneItem> busy;
    for (const Interval& interval : unionOf(std::move(intervals))) {
      busy.push_back({interval.start, interval.end, static_cast<std::uint32_t>(busy.size())});
    }
    laid.lanes.push_back({LaneKind::Busy, 0, 0, std::move(busy), {}});
    const IndexRange range = gapsOf(pass, iteration);
    std::vector<LaneItem> gaps;
    for (std::uint32_t g = range.from; g < range.to; ++g) {
      gaps.push_back({pass.gaps[g].start - origin, pass.gaps[g].end - origin, g});
    }
    if (!gaps.empty()) laid.lanes.push_back({LaneKind::Gaps, 0, 0, std::move(gaps), {}});
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

  setExtent(laid, mark.drained);
  return laid;
}

IterationLanes layOutPass(const PassIndex& index, bool withNumbers) {
  IterationLanes laid;
  const Pass& pass = index.pass();
  const Trace& trace = pass.trace;
  if (trace.iterations.empty()) return laid;
  const Ns origin = index.busy().empty() ? trace.iterations.front().called : index.busy().front().start;
  laid.origin = origin;

  std::vector<LaneItem> marks;
  for (std::uint32_t i = 0; i < trace.iterations.size(); ++i) {
    marks.push_back({trace.iterations[i].called - origin, trace.iterations[i].drained - origin, i});
  }
  addRows(laid, LaneKind::Marks, 0, std::move(marks));

  const Interval whole{trace.iterations.front().called, trace.iterations.back().drained};
  std::vector<std::uint32_t> ranges;
  for (std::uint32_t r = 0; r < trace.ranges.size(); ++r) {
    const RangeRecord& range = trace.ranges[r];
    const bool shown = range.known == RangeKnown::Whole ? range.start <= whole.end && range.end >= whole.start
                                                        : iterationOf(trace, range).has_value();
    if (shown) ranges.push_back(r);
  }
  addRanges(laid, trace, ranges, whole);

  std::map<std::uint32_t, std::vector<LaneItem>> threads;
  for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
    const LaunchRecord& launch = trace.launches[l];
    if (index.iterationOf(launch.correlationId) < 0) continue;
    threads[launch.threadId].push_back({launch.start - origin, launch.end - origin, l});
  }
  for (auto& [thread, items] : threads) addRows(laid, LaneKind::Host, thread, std::move(items));

  if (withNumbers && !index.busy().empty()) {
    std::vector<LaneItem> busy;
    for (const Interval& interval : index.busy()) {
      busy.push_back(
          {interval.start - origin, interval.end - origin, static_cast<std::uint32_t>(busy.size())});
    }
    laid.lanes.push_back({LaneKind::Busy, 0, 0, std::move(busy), {}});
    std::vector<LaneItem> gaps;
    for (std::uint32_t g = 0; g < pass.gaps.size(); ++g) {
      gaps.push_back({pass.gaps[g].start - origin, pass.gaps[g].end - origin, g});
    }
    addRows(laid, LaneKind::Gaps, 0, std::move(gaps));
  }
  const auto addKernels = [&](LaneKind kind, const std::vector<std::uint32_t>& kernels) {
    ByStream streams;
    for (const auto k : kernels) {
      const KernelRecord& kernel = trace.kernels[k];
      if (kernel.start == 0) continue;
      streams[kernel.streamId].push_back({kernel.start - origin, kernel.end - origin, k});
    }
    for (auto& [stream, items] : streams) addRows(laid, kind, stream, std::move(items));
  };
  addKernels(LaneKind::Stream, index.attribution().kernels);
  addKernels(LaneKind::Stray, index.strays());
  std::vector<LaneItem> copies;
  for (const auto m : index.attribution().memops) {
    copies.push_back({trace.memops[m].start - origin, trace.memops[m].end - origin, m});
  }
  addRows(laid, LaneKind::Copies, 0, std::move(copies));
  addKernels(LaneKind::Prepare, index.prepares());
  setExtent(laid, trace.iterations.back().drained);
  return laid;
}

}  // namespace opscope::ui
