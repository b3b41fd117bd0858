// SPDX-License-Identifier: GPL-3.0-or-later
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
  const auto gap = gapFrom(pass, static_cast<std::uint32_t>(now.iteration), at, direction);
  if (gap && find({SelectedItem::Kind::Gap, *gap})) selection_.selectItem({SelectedItem::Kind::Gap, *gap});
}

void TimelinePlot::selectLaunch() {
  const SelectedItem item = selection_.now().item;
  if (!index_ || (item.kind != SelectedItem::Kind::Kernel && item.kind != SelectedItem::Kind::Gap)) return;
  const Pass& pass = index_->pass();
  const std::uint32_t kernel =
      item.kind == SelectedItem::Kind::Gap ? pass.gaps[item.index].after : item.index;
  if (const auto launch = launchOfKernel(pass.trace, kernel)) {
    selection_.selectItem({SelectedItem::Kind::Launch, *launch});
  }
}

void TimelinePlot::selectKernel() {
  const SelectedItem item = selection_.now().item;
  if (!index_) return;
  if (item.kind == SelectedItem::Kind::Launch) {
    if (const auto kernel = firstKernelOfLaunch(index_->pass().trace, item.index)) {
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

}  // namespace opscope::ui
