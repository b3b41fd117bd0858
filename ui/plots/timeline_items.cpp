// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "plots/interval_plottable.h"
#include "plots/timeline_overlay.h"
#include "plots/timeline_plot.h"
#include "state/text.h"
#include "trace/ranges.h"

// Where what is selected lies among the lanes, and what lies where.

namespace opscope::ui {

void TimelinePlot::updateOverlay() {
  const Selected& now = selection_.now();
  const auto boxOf = [this](const Hit& hit) {
    const LaneItem& item = lanes_.lanes[hit.lane].items[hit.item];
    const BarRow& row = bars_->rows()[hit.lane];
    return TimelineOverlay::Box{static_cast<double>(item.start), static_cast<double>(item.end), row.top,
                                row.height};
  };
  overlay_->selected.reset();
  overlay_->launch.reset();
  overlay_->kernel.reset();
  overlay_->range.reset();
  if (!index_) return;
  if (const auto hit = find(now.item)) overlay_->selected = boxOf(*hit);
  using Kind = SelectedItem::Kind;
  std::optional<std::uint32_t> kernel;
  if (now.item.kind == Kind::Kernel) kernel = now.item.index;
  // A gap is ended by a kernel: the launch of that one is what to look at.
  if (now.item.kind == Kind::Gap && now.item.index < index_->pass().gaps.size()) {
    kernel = index_->pass().gaps[now.item.index].after;
  }
  std::optional<std::uint32_t> launch;
  if (now.item.kind == Kind::Launch) {
    launch = now.item.index;
    kernel = index_->firstKernelOfLaunch(*launch);
  } else if (kernel) {
    launch = index_->launchOfKernel(*kernel);
  }
  if (kernel && launch) {
    if (const auto hit = find({Kind::Launch, *launch})) overlay_->launch = boxOf(*hit);
    if (const auto hit = find({Kind::Kernel, *kernel})) overlay_->kernel = boxOf(*hit);
  }
  if (now.range) {
    overlay_->range = QCPRange(static_cast<double>(now.range->start - lanes_.origin),
                               static_cast<double>(now.range->end - lanes_.origin));
    overlay_->rangeText =
        timeText(unitFor(static_cast<double>(now.range->length())), static_cast<double>(now.range->length()));
  }
}

void TimelinePlot::repaintOverlay() {
  layer(QStringLiteral("overlay"))->replot();
}

std::optional<TimelinePlot::Hit> TimelinePlot::find(const SelectedItem& item) const {
  using Kind = SelectedItem::Kind;
  if (!index_ || item.kind == Kind::None) return std::nullopt;
  const Pass& pass = index_->pass();
  const Trace& trace = pass.trace;
  // Lanes are ordered by start: look where the record begins.
  std::optional<Ns> start;
  const auto at = [&](const auto& records) {
    if (item.index < records.size()) start = records[item.index].start - lanes_.origin;
  };
  if (item.kind == Kind::Kernel) at(trace.kernels);
  if (item.kind == Kind::Gap) at(pass.gaps);
  if (item.kind == Kind::Launch) at(trace.launches);
  if (item.kind == Kind::Memop) at(trace.memops);
  const bool range = item.kind == Kind::Range && item.index < trace.ranges.size();
  if (!start && !range) return std::nullopt;
  for (std::size_t l = 0; l < lanes_.lanes.size(); ++l) {
    const Lane& lane = lanes_.lanes[l];
    if (range && lane.kind == LaneKind::Ranges) {
      // They are drawn inside their iteration, wherever they begin.
      const auto found = std::find_if(lane.items.begin(), lane.items.end(),
                                      [&](const LaneItem& one) { return one.index == item.index; });
      if (found != lane.items.end()) return Hit{l, static_cast<std::size_t>(found - lane.items.begin())};
    }
    if (!start) continue;
    const bool kernels =
        lane.kind == LaneKind::Stream || lane.kind == LaneKind::Stray || lane.kind == LaneKind::Prepare;
    const bool fits = (item.kind == Kind::Kernel && kernels) ||
                      (item.kind == Kind::Gap && lane.kind == LaneKind::Gaps) ||
                      (item.kind == Kind::Launch && lane.kind == LaneKind::Host) ||
                      (item.kind == Kind::Memop && lane.kind == LaneKind::Copies);
    if (!fits) continue;
    auto found = std::lower_bound(lane.items.begin(), lane.items.end(), *start,
                                  [](const LaneItem& one, Ns t) { return one.start < t; });
    for (; found != lane.items.end() && found->start == *start; ++found) {
      if (found->index == item.index) return Hit{l, static_cast<std::size_t>(found - lane.items.begin())};
    }
  }
  return std::nullopt;
}

SelectedItem TimelinePlot::itemOf(const Hit& hit) const {
  using Kind = SelectedItem::Kind;
  const Lane& lane = lanes_.lanes[hit.lane];
  const std::uint32_t index = lane.items[hit.item].index;
  switch (lane.kind) {
    case LaneKind::Host:
      return {Kind::Launch, index};
    case LaneKind::Gaps:
      return {Kind::Gap, index};
    case LaneKind::Stream:
    case LaneKind::Stray:
    case LaneKind::Prepare:
      return {Kind::Kernel, index};
    case LaneKind::Copies:
      return {Kind::Memop, index};
    case LaneKind::Ranges:
      return {Kind::Range, index};
    case LaneKind::Busy:
    case LaneKind::Marks:
      return {};
  }
  return {};
}

std::int32_t TimelinePlot::iterationOf(const SelectedItem& item) const {
  using Kind = SelectedItem::Kind;
  const Pass& pass = index_->pass();
  switch (item.kind) {
    case Kind::Kernel:
      return index_->iterationOf(pass.trace.kernels[item.index].correlationId);
    case Kind::Gap:
      return static_cast<std::int32_t>(pass.gaps[item.index].iteration);
    case Kind::Launch:
      return index_->iterationOf(pass.trace.launches[item.index].correlationId);
    case Kind::Memop:
      return index_->iterationOf(pass.trace.memops[item.index].correlationId);
    case Kind::Range:
      // One that reaches over several is clicked in the one that is shown.
      if (const auto at = opscope::iterationOf(pass.trace, pass.trace.ranges[item.index]);
          at && mode_ == TimelineMode::Pass)
        return static_cast<std::int32_t>(*at);
      return selection_.now().iteration;
    case Kind::None:
      break;
  }
  return -1;
}

}  // namespace opscope::ui
