// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "plots/timeline_plot.h"

// Which stretch of time is in view, and the way back to one that was.

namespace opscope::ui {

void TimelinePlot::scrollTo(double start, double end) {
  if (end >= transform_.start() && start <= transform_.end()) return;
  const double middle = (start + end) / 2;
  transform_.show(middle - transform_.span() / 2, middle + transform_.span() / 2);
  applyView(true);
}

void TimelinePlot::showFrom(double start) {
  transform_.show(start, start + transform_.span());
  applyView(true, true);
}

void TimelinePlot::applyView(bool record, bool sameGesture) {
  const QRect area = axisRect()->rect();
  transform_.setPixels(area.left(), area.width());
  xAxis2->setRange(transform_.start(), transform_.end());
  if (record && index_ && !loading_) {
    history_.record({selection_.now().pass, mode_ == TimelineMode::Pass ? -1 : selection_.now().iteration,
                     transform_.start(), transform_.end(), static_cast<int>(mode_)},
                    sameGesture);
  }
  updateOverlay();
  replot(QCustomPlot::rpQueuedReplot);
  Q_EMIT viewChanged();
}

void TimelinePlot::frame(double start, double end) {
  const double margin = std::max((end - start) * 0.08, 4.0);
  transform_.show(start - margin, end + margin);
  applyView(true);
}

void TimelinePlot::fitAll() {
  transform_.fit();
  applyView(true);
}

void TimelinePlot::frameSelection() {
  const Selected& now = selection_.now();
  if (now.range) {
    frame(static_cast<double>(now.range->start - lanes_.origin),
          static_cast<double>(now.range->end - lanes_.origin));
  } else if (const auto hit = find(now.item)) {
    const LaneItem& item = lanes_.lanes[hit->lane].items[hit->item];
    // With its neighbours in sight: alone it would fill the view and say nothing.
    const double around = 0.5 * static_cast<double>(item.end - item.start);
    frame(static_cast<double>(item.start) - around, static_cast<double>(item.end) + around);
  } else {
    fitAll();
  }
}

void TimelinePlot::restoreView(const View& view) {
  const ViewHistory kept = history_;  // following the selection and the mode records views of its own
  const std::int32_t iteration =
      view.iteration >= 0 ? view.iteration : std::max(0, selection_.now().iteration);
  if (view.pass != selection_.now().pass ||
      (view.iteration >= 0 && iteration != selection_.now().iteration)) {
    selection_.selectIteration(view.pass, iteration);
  }
  setMode(static_cast<TimelineMode>(view.mode));
  history_ = kept;
  transform_.show(view.start, view.end);
  applyView(false);
}

void TimelinePlot::goBack() {
  if (history_.canGoBack()) restoreView(View(history_.back()));
}

void TimelinePlot::goForward() {
  if (history_.canGoForward()) restoreView(View(history_.forward()));
}

}  // namespace opscope::ui
