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
  setAccessibleDescription(
      tr("Lanes over time: ranges that the op marks, host launches, busy, gaps by cause, streams, copies"));
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

RowStyle TimelinePlot::style() const {
  return {plotTheme(palette()), QFontMetricsF(font()).height(),
          static_cast<std::uint32_t>(std::max(0, selection_.now().implementation())), filter_};
}

void TimelinePlot::rebuild() {
  const Selected& now = selection_.now();
  overlay_->notice = keptText(now);
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
  double free = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double middle = rows[i].top + rows[i].height / 2;
    // Thin lanes have no room for a title each.
    if (lanes_.lanes[i].subLane != 0 || middle < free) continue;
    titles.insert(middle, laneTitle(i));
    free = middle + metrics.height();
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
    case LaneKind::Ranges: {
      const auto threads = std::count_if(lanes_.lanes.begin(), lanes_.lanes.end(), [](const Lane& other) {
        return other.kind == LaneKind::Ranges && other.subLane == 0;
      });
      return threads > 1 ? tr("ranges %1").arg(shown.id % 100'000) : tr("ranges");
    }
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

}  // namespace opscope::ui
