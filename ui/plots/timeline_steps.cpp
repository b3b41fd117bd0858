// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "plots/timeline_plot.h"
#include "state/navigation.h"

// From one thing on the timeline to the next.

namespace opscope::ui {

void TimelinePlot::selectLargestGap() {
  if (!index_) return;
  const auto gap = largestGap(index_->pass(), static_cast<std::uint32_t>(selection_.now().iteration));
  if (!gap || !find({SelectedItem::Kind::Gap, *gap})) return;
  selection_.selectItem({SelectedItem::Kind::Gap, *gap});
}

void TimelinePlot::stepGap(int direction) {
  if (!index_) return;
  const Selected& now = selection_.now();
  const Pass& pass = index_->pass();
  Ns at = lanes_.origin + static_cast<Ns>((transform_.start() + transform_.end()) / 2);
  if (const auto hit = find(now.item)) at = lanes_.origin + lanes_.lanes[hit->lane].items[hit->item].start;
  auto gap = gapFrom(pass, static_cast<std::uint32_t>(now.iteration), at, direction);
  if (!gap && mode_ == TimelineMode::Pass) {
    // On into the next iteration that has one: gaps are ordered by iteration and start.
    const IndexRange own = gapsOf(pass, static_cast<std::uint32_t>(now.iteration));
    if (direction > 0 && own.to < pass.gaps.size()) gap = own.to;
    if (direction < 0 && own.from > 0) gap = own.from - 1;
    if (!gap || !find({SelectedItem::Kind::Gap, *gap})) return;
    Selected next = now;
    next.item = {SelectedItem::Kind::Gap, *gap};
    next.iteration = iterationOf(next.item);
    next.range.reset();
    selection_.select(std::move(next));
    return;
  }
  if (gap && find({SelectedItem::Kind::Gap, *gap})) selection_.selectItem({SelectedItem::Kind::Gap, *gap});
}

void TimelinePlot::selectLaunch() {
  const SelectedItem item = selection_.now().item;
  if (!index_ || (item.kind != SelectedItem::Kind::Kernel && item.kind != SelectedItem::Kind::Gap)) return;
  const Pass& pass = index_->pass();
  const std::uint32_t kernel =
      item.kind == SelectedItem::Kind::Gap ? pass.gaps[item.index].after : item.index;
  if (const auto launch = index_->launchOfKernel(kernel)) {
    selection_.selectItem({SelectedItem::Kind::Launch, *launch});
  }
}

void TimelinePlot::selectKernel() {
  const SelectedItem item = selection_.now().item;
  if (!index_) return;
  if (item.kind == SelectedItem::Kind::Launch) {
    if (const auto kernel = index_->firstKernelOfLaunch(item.index)) {
      selection_.selectItem({SelectedItem::Kind::Kernel, *kernel});
    }
  } else if (item.kind == SelectedItem::Kind::Gap) {
    selection_.selectItem({SelectedItem::Kind::Kernel, index_->pass().gaps[item.index].after});
  }
}

void TimelinePlot::stepKernel(int direction) {
  const SelectedItem item = selection_.now().item;
  if (!index_) return;
  if (item.kind == SelectedItem::Kind::Kernel) {
    if (const auto next = kernelBeside(lanes_, item.index, direction)) {
      selection_.selectItem({SelectedItem::Kind::Kernel, *next});
    }
    return;
  }
  if (item.kind == SelectedItem::Kind::Gap) {
    const Gap& gap = index_->pass().gaps[item.index];
    selection_.selectItem({SelectedItem::Kind::Kernel, direction > 0 ? gap.after : gap.before});
    return;
  }
  for (const Lane& lane : lanes_.lanes) {
    if (lane.kind != LaneKind::Stream || lane.items.empty()) continue;
    selection_.selectItem({SelectedItem::Kind::Kernel, lane.items.front().index});
    return;
  }
}

void TimelinePlot::stepIteration(int direction) {
  const Selected& now = selection_.now();
  if (!now.run || now.pass < 0 || now.iteration < 0) return;
  const IterationRef at{static_cast<std::uint32_t>(now.pass), static_cast<std::uint32_t>(now.iteration)};
  if (const auto next = iterationBeside(*now.run, at, direction)) {
    selection_.selectIteration(static_cast<std::int32_t>(next->pass),
                               static_cast<std::int32_t>(next->iteration));
  }
}

int TimelinePlot::matchOfSelected() const {
  const SelectedItem item = selection_.now().item;
  if (item.kind != SelectedItem::Kind::Kernel) return -1;
  const auto found = std::find(matches_.begin(), matches_.end(), item.index);
  return found == matches_.end() ? -1 : static_cast<int>(found - matches_.begin());
}

void TimelinePlot::stepMatch(int direction) {
  if (matches_.empty() || !index_) return;
  const int count = static_cast<int>(matches_.size());
  const int at = matchOfSelected();
  const int next = at < 0 ? (direction > 0 ? 0 : count - 1) : (at + direction + count) % count;
  Selected chosen = selection_.now();
  chosen.item = {SelectedItem::Kind::Kernel, matches_[static_cast<std::size_t>(next)]};
  if (const auto own = iterationOf(chosen.item); own >= 0) chosen.iteration = own;
  chosen.range.reset();
  selection_.select(std::move(chosen));
}

}  // namespace opscope::ui
