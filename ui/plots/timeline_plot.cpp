// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/timeline_plot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "plots/interval_plottable.h"
#include "plots/time_ticker.h"
#include "plots/timeline_overlay.h"
#include "state/colours.h"
#include "state/navigation.h"
#include "state/text.h"

namespace opscope::ui {
/// What was laid out for a selection, with its look.
struct TimelinePlot::Laid {
  IterationLanes lanes;
  TimelineRows rows;
  std::shared_ptr<const OverlayBlurs> blurs;
};

TimelinePlot::TimelinePlot(Selection& selection, QWidget* parent)
    : QCustomPlot(parent), selection_(selection), ticker_(new TimeTicker), titles_(new QCPAxisTickerText) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Timeline of one iteration"));
  setAccessibleDescription(tr("Lanes over time: host launches, busy, gaps by cause, streams, copies"));
  setNoAntialiasingOnDrag(true);

  // The ruler stands above the lanes.
  xAxis->setVisible(false);
  xAxis2->setVisible(true);
  xAxis2->setTicker(ticker_);
  xAxis2->grid()->setVisible(true);
  ticker_->setTickCount(8);
  yAxis->setTicker(titles_);
  yAxis->setRangeReversed(true);
  yAxis->grid()->setVisible(false);
  yAxis->setTickLength(0);
  yAxis->setSubTicks(false);

  layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
  bars_ = new IntervalPlottable(xAxis2, yAxis);
  overlay_ = new TimelineOverlay(this, xAxis2, yAxis);

  connect(&selection_, &Selection::changed, this, &TimelinePlot::follow);
  connect(&selection_.indexes(), &PassIndexes::ready, this, [this] {
    if (!index_) rebuild();
  });
  applyLooks();
  rebuild();
}

TimelinePlot::~TimelinePlot() = default;

TimeUnit TimelinePlot::unit() const {
  return ticker_->unit();
}

bool TimelinePlot::isBusy() const {
  return loading_;
}

void TimelinePlot::setMode(TimelineMode mode) {
  if (mode == mode_) return;
  mode_ = mode;
  rebuild();
  Q_EMIT modeChanged(mode_);
}

void TimelinePlot::follow(const Selected& now, const Selected& before) {
  if (now.run != before.run) history_.clear();
  const bool otherPass = now.run != before.run || now.pass != before.pass;
  if (otherPass || (now.iteration != before.iteration && mode_ != TimelineMode::Pass) ||
      (now.iteration < 0) != (before.iteration < 0)) {
    rebuild();
    return;
  }
  updateOverlay();
  // What was selected elsewhere must be seen here.
  const auto hit = now.item != before.item ? find(now.item) : std::nullopt;
  if (hit) {
    const LaneItem& item = lanes_.lanes[hit->lane].items[hit->item];
    scrollTo(static_cast<double>(item.start), static_cast<double>(item.end));
  } else if (now.iteration != before.iteration && index_ && !lanes_.lanes.empty()) {
    const IterationMark& mark = index_->pass().trace.iterations[static_cast<std::size_t>(now.iteration)];
    scrollTo(static_cast<double>(mark.called - lanes_.origin),
             static_cast<double>(mark.drained - lanes_.origin));
  }
  repaintOverlay();
}

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

RowStyle TimelinePlot::style() const {
  return {plotTheme(palette()), QFontMetricsF(font()).height(),
          static_cast<std::uint32_t>(std::max(0, selection_.now().implementation())), filter_};
}

void TimelinePlot::rebuild() {
  const Selected& now = selection_.now();
  hoveredHit_.reset();
  layingOut_.drop();
  loading_ = false;
  if (!now.passOrNull() || now.iteration < 0) {
    index_.reset();
    adopt({});
    return;
  }
  const auto pass = now.run->passes[static_cast<std::size_t>(now.pass)];
  index_ = selection_.indexes().of(pass);
  if (!index_) {
    showLoading();  // rebuilt when the index is ready
    return;
  }
  const auto implementation = pass->implementation;
  const bool withNumbers = !pass->failure && implementation < now.run->implementations.size() &&
                           !now.run->implementations[implementation].failure;
  const auto iteration = static_cast<std::uint32_t>(now.iteration);
  if (blursOf_ != std::pair<const Run*, std::int32_t>(now.run.get(), now.implementation())) blurs_.reset();
  const auto layItOut = [index = index_, run = now.run, mode = mode_, blurs = blurs_, style = style(),
                         implementation, iteration, withNumbers] {
    Laid laid;
    laid.blurs = blurs;
    if (mode == TimelineMode::Overlay && !laid.blurs) {
      laid.blurs = std::make_shared<const OverlayBlurs>(overlay(*run, implementation, withNumbers));
    }
    laid.lanes =
        mode == TimelineMode::Pass ? layOutPass(*index, withNumbers) : layOut(*index, iteration, withNumbers);
    if (mode == TimelineMode::Overlay) laid.lanes = withBlurs(std::move(laid.lanes), *laid.blurs);
    laid.rows = rowsOf(laid.lanes, index->pass(), style);
    return laid;
  };

  std::size_t records = 0;
  if (mode_ == TimelineMode::Pass) {
    records = PassIndexes::recordsOf(*pass);
  } else if (mode_ == TimelineMode::Iteration || blurs_) {
    records = 2 * index_->attribution().kernelsOf(iteration).size();
  } else {
    for (const Pass* one : now.run->passesOf(implementation)) records += PassIndexes::recordsOf(*one);
  }
  if (selection_.indexes().fitsAtOnce(records)) {
    adopt(layItOut());
    return;
  }
  showLoading();
  layingOut_.request([this, layItOut]() -> std::function<void()> {
    auto laid = std::make_shared<Laid>(layItOut());
    return [this, laid] {
      loading_ = false;
      adopt(std::move(*laid));
    };
  });
}

void TimelinePlot::showLoading() {
  loading_ = true;
  adopt({});
  xAxis2->setLabel(tr("laying out the records"));
}

void TimelinePlot::adopt(Laid laid) {
  const Selected& now = selection_.now();
  lanes_ = std::move(laid.lanes);
  if (laid.blurs) {
    blurs_ = std::move(laid.blurs);
    blursOf_ = {now.run.get(), now.implementation()};
  }
  if (!lanes_.lanes.empty()) ticker_->setUnit(unitFor(static_cast<double>(lanes_.opening.length())));
  const QString from =
      lanes_.of > 0 ? tr("%1 from each iteration's first kernel, %2 iterations behind this one")
                          .arg(text(suffixOf(unit())))
                          .arg(lanes_.of)
      : mode_ == TimelineMode::Pass ? tr("%1 from the pass's first kernel").arg(text(suffixOf(unit())))
                                    : tr("%1 from the iteration's first kernel").arg(text(suffixOf(unit())));
  xAxis2->setLabel(lanes_.lanes.empty() ? QString() : from);
  setAccessibleName(mode_ == TimelineMode::Pass      ? tr("Timeline of a whole pass")
                    : mode_ == TimelineMode::Overlay ? tr("Timeline of one iteration over all others")
                                                     : tr("Timeline of one iteration"));
  const Ns margin = std::max<Ns>(10, lanes_.opening.length() / 40);
  transform_.setBounds({lanes_.extent.start - margin, lanes_.extent.end + margin});
  applyLooks();
  setRows(std::move(laid.rows));
  updateGeometry();
  if (!lanes_.lanes.empty()) {
    transform_.show(static_cast<double>(lanes_.opening.start - margin),
                    static_cast<double>(lanes_.opening.end + margin));
  } else {
    transform_.fit();
  }
  applyView(true);
}

void TimelinePlot::applyLooks() {
  theme_ = plotTheme(palette());
  overlay_->theme = theme_;
  applyTheme(*this, theme_, font());
  yAxis->setTickLabelColor(theme_.text);
  bars_->setColours(theme_.background, theme_.band, theme_.line);
  bars_->setUnit(unit());
}

void TimelinePlot::setRows(TimelineRows rows) {
  bars_->setRows(std::move(rows.rows), std::move(rows.looks));
  findMatches();
  placeRows();
}

void TimelinePlot::restyle() {
  if (loading_) {
    rebuild();
    return;
  }
  applyLooks();
  if (!index_ || lanes_.lanes.empty()) {
    replot(QCustomPlot::rpQueuedReplot);
    return;
  }
  std::size_t items = 0;
  for (const Lane& lane : lanes_.lanes) items += lane.items.size();
  if (!selection_.indexes().fitsAtOnce(items)) {
    layingOut_.request([this, lanes = lanes_, index = index_, style = style()]() -> std::function<void()> {
      auto rows = std::make_shared<TimelineRows>(rowsOf(lanes, index->pass(), style));
      return [this, rows] {
        setRows(std::move(*rows));
        applyView(false);
      };
    });
    return;
  }
  setRows(rowsOf(lanes_, index_->pass(), style()));
  applyView(false);
}

void TimelinePlot::setFilter(KernelFilter filter) {
  filter_ = std::move(filter);
  restyle();
  Q_EMIT filterChanged();
}

void TimelinePlot::findMatches() {
  matches_.clear();
  if (!index_ || !filter_.any()) return;
  const Trace& trace = index_->pass().trace;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> fits;
  for (const Lane& lane : lanes_.lanes) {
    if (lane.kind != LaneKind::Stream && lane.kind != LaneKind::Stray) continue;
    for (const LaneItem& item : lane.items) {
      const KernelRecord& kernel = trace.kernels[item.index];
      const auto [known, isNew] = fits.try_emplace({kernel.nameId, kernel.streamId}, false);
      if (isNew) known->second = filter_.fits(trace.names.text(kernel.nameId), kernel.streamId);
      if (known->second) matches_.push_back(item.index);
    }
  }
  std::stable_sort(matches_.begin(), matches_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.kernels[a].start < trace.kernels[b].start;
  });
}

void TimelinePlot::placeRows() {
  const QFontMetricsF metrics(font());
  const int left = static_cast<int>(metrics.horizontalAdvance(tr("no iteration")) + 18);
  axisRect()->setAutoMargins(QCP::msTop);
  axisRect()->setMargins(QMargins(left, 0, 14, 6));
  const auto& rows = bars_->rows();
  QMap<double, QString> titles;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (lanes_.lanes[i].subLane == 0) titles.insert(rows[i].top + rows[i].height / 2, laneTitle(i));
  }
  titles_->setTicks(titles);
  // Lanes grow with the window, but a lane as tall as a hand is wide reads no better.
  const double natural = rows.empty() ? 1 : rows.back().top + rows.back().height;
  yAxis->setRange(0, std::max(natural, static_cast<double>(axisRect()->height()) / 1.7));
}

int TimelinePlot::naturalHeight() const {
  const auto& rows = bars_->rows();
  const double lanes = rows.empty() ? 80 : rows.back().top + rows.back().height;
  return static_cast<int>(lanes) + 4 * fontMetrics().height();
}

double TimelinePlot::laneCentre(std::size_t lane) const {
  const BarRow& row = bars_->rows().at(lane);
  return yAxis->coordToPixel(row.top + row.height / 2);
}

QString TimelinePlot::laneTitle(std::size_t lane) const {
  const Lane& shown = lanes_.lanes[lane];
  switch (shown.kind) {
    case LaneKind::Host: {
      const auto threads = std::count_if(lanes_.lanes.begin(), lanes_.lanes.end(), [](const Lane& other) {
        return other.kind == LaneKind::Host && other.subLane == 0;
      });
      return threads > 1 ? tr("host %1").arg(shown.id % 100'000) : tr("host");
    }
    case LaneKind::Busy:
      return tr("BUSY");
    case LaneKind::Gaps:
      return tr("gaps");
    case LaneKind::Stream:
      return tr("stream %1").arg(shown.id);
    case LaneKind::Stray:
      return tr("no iteration");
    case LaneKind::Copies:
      return tr("copies");
    case LaneKind::Marks:
      return tr("iterations");
    case LaneKind::Prepare:
      return tr("between");
  }
  return {};
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
  if (!start) return std::nullopt;
  for (std::size_t l = 0; l < lanes_.lanes.size(); ++l) {
    const Lane& lane = lanes_.lanes[l];
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
    case Kind::None:
      break;
  }
  return -1;
}

}  // namespace opscope::ui
