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
namespace {

double naturalRowHeight(LaneKind kind, double line) {
  switch (kind) {
    case LaneKind::Busy:
    case LaneKind::Gaps:
      return line + 12;
    case LaneKind::Stream:
    case LaneKind::Stray:
      return line + 10;
    case LaneKind::Host:
    case LaneKind::Copies:
      return line + 6;
  }
  return line;
}

}  // namespace

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
  applyLooks();
  rebuild();
}

TimelinePlot::~TimelinePlot() = default;

TimeUnit TimelinePlot::unit() const {
  return ticker_->unit();
}

void TimelinePlot::follow(const Selected& now, const Selected& before) {
  if (now.run != before.run) history_.clear();
  if (now.run != before.run || now.pass != before.pass || now.iteration != before.iteration) {
    rebuild();
    return;
  }
  updateOverlay();
  // What was selected elsewhere must be seen here.
  if (now.item != before.item && now.item.kind != SelectedItem::Kind::None) {
    if (const auto hit = find(now.item)) {
      const LaneItem& item = lanes_.lanes[hit->lane].items[hit->item];
      if (static_cast<double>(item.end) < transform_.start() ||
          static_cast<double>(item.start) > transform_.end()) {
        const double middle = static_cast<double>(item.start + item.end) / 2;
        transform_.show(middle - transform_.span() / 2, middle + transform_.span() / 2);
        applyView(true);
        return;
      }
    }
  }
  repaintOverlay();
}

void TimelinePlot::rebuild() {
  const Selected& now = selection_.now();
  const Pass* pass = now.passOrNull();
  lanes_ = {};
  hoveredHit_.reset();
  if (!pass || now.iteration < 0) {
    index_.reset();
  } else {
    if (!index_ || &index_->pass() != pass) {
      index_ = std::make_shared<PassIndex>(now.run->passes[static_cast<std::size_t>(now.pass)]);
    }
    const auto implementation = pass->implementation;
    const bool withNumbers = !pass->failure && implementation < now.run->implementations.size() &&
                             !now.run->implementations[implementation].failure;
    lanes_ = layOut(*index_, static_cast<std::uint32_t>(now.iteration), withNumbers);
    ticker_->setUnit(unitFor(static_cast<double>(lanes_.extent.length())));
  }
  xAxis2->setLabel(lanes_.lanes.empty()
                       ? QString()
                       : tr("%1 from the iteration's first kernel").arg(text(suffixOf(unit()))));
  const Ns margin = std::max<Ns>(10, lanes_.extent.length() / 40);
  transform_.setBounds({lanes_.extent.start - margin, lanes_.extent.end + margin});
  applyLooks();
  updateGeometry();
  fitAll();
}

void TimelinePlot::applyLooks() {
  theme_ = plotTheme(palette());
  overlay_->theme = theme_;
  applyTheme(*this, theme_, font());
  yAxis->setTickLabelColor(theme_.text);
  bars_->setColours(theme_.background, theme_.band, theme_.line);
  bars_->setUnit(unit());

  std::vector<BarLook> looks;
  std::vector<BarRow> rows;
  std::map<std::uint32_t, std::uint32_t> byName;
  const auto add = [&looks](BarLook look) {
    looks.push_back(std::move(look));
    return static_cast<std::uint32_t>(looks.size() - 1);
  };
  const QColor hostColour = theme_.dark ? QColor(0x70, 0x78, 0x84) : QColor(0xb4, 0xbc, 0xc8);
  const QColor copyColour = causeColour(GapCause::Copy);
  const Selected& now = selection_.now();
  const QColor busyColour = implementationColour(static_cast<std::size_t>(std::max(0, now.implementation())));
  std::map<GapCause, std::uint32_t> byCause;
  double top = 0;
  for (const Lane& lane : lanes_.lanes) {
    BarRow row;
    row.top = top;
    row.height = naturalRowHeight(lane.kind, QFontMetricsF(font()).height());
    top += row.height;
    row.bars = lane.items;
    row.looks.reserve(lane.items.size());
    const Trace& trace = index_->pass().trace;
    const auto named = [&](std::uint32_t nameId, const QColor& colour, bool full) {
      const auto known = byName.find(nameId);
      if (known != byName.end()) return known->second;
      const std::string& name = trace.names.text(nameId);
      return byName[nameId] = add({colour, Qt::SolidPattern,
                                   text(full ? std::string_view(name) : kernelBaseName(name)), false});
    };
    switch (lane.kind) {
      case LaneKind::Host:
        row.dense = hostColour;
        for (const LaneItem& item : lane.items) {
          row.looks.push_back(named(trace.launches[item.index].apiNameId, hostColour, true));
        }
        break;
      case LaneKind::Busy:
        row.dense = busyColour;
        row.looks.assign(lane.items.size(), add({busyColour, Qt::SolidPattern, {}, true}));
        break;
      case LaneKind::Gaps:
        row.dense = causeColour(GapCause::Undecided);
        for (const LaneItem& item : lane.items) {
          const GapCause cause = index_->pass().gaps[item.index].cause;
          auto known = byCause.find(cause);
          if (known == byCause.end()) {
            known =
                byCause
                    .emplace(cause, add({causeColour(cause), causeHatch(cause), text(nameOf(cause)), true}))
                    .first;
          }
          row.looks.push_back(known->second);
        }
        break;
      case LaneKind::Stream:
      case LaneKind::Stray:
        row.dense = theme_.faint;
        for (const LaneItem& item : lane.items) {
          const std::uint32_t nameId = trace.kernels[item.index].nameId;
          row.looks.push_back(named(nameId, kernelColour(trace.names.text(nameId), theme_.dark), false));
        }
        break;
      case LaneKind::Copies:
        row.dense = copyColour;
        for (const LaneItem& item : lane.items) {
          const bool set = trace.memops[item.index].kind == MemopKind::Set;
          row.looks.push_back(add({copyColour, Qt::SolidPattern, set ? tr("fill") : tr("copy"), false}));
        }
        break;
    }
    rows.push_back(std::move(row));
  }
  bars_->setRows(std::move(rows), std::move(looks));
  placeRows();
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
  }
  return {};
}

void TimelinePlot::applyView(bool record, bool sameGesture) {
  const QRect area = axisRect()->rect();
  transform_.setPixels(area.left(), area.width());
  xAxis2->setRange(transform_.start(), transform_.end());
  if (record && index_) {
    history_.record({selection_.now().pass, selection_.now().iteration, transform_.start(), transform_.end()},
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
  if (view.pass != selection_.now().pass || view.iteration != selection_.now().iteration) {
    const ViewHistory kept = history_;  // following the selection records views of its own
    selection_.selectIteration(view.pass, view.iteration);
    history_ = kept;
  }
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
  const Trace& trace = index_->pass().trace;
  std::optional<std::uint32_t> kernel;
  if (now.item.kind == Kind::Kernel) kernel = now.item.index;
  // A gap is ended by a kernel: the launch of that one is what to look at.
  if (now.item.kind == Kind::Gap && now.item.index < index_->pass().gaps.size()) {
    kernel = index_->pass().gaps[now.item.index].after;
  }
  std::optional<std::uint32_t> launch;
  if (now.item.kind == Kind::Launch) {
    launch = now.item.index;
    kernel = firstKernelOfLaunch(trace, *launch);
  } else if (kernel) {
    launch = launchOfKernel(trace, *kernel);
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
  for (std::size_t l = 0; l < lanes_.lanes.size(); ++l) {
    const Lane& lane = lanes_.lanes[l];
    const bool fits =
        (item.kind == Kind::Kernel && (lane.kind == LaneKind::Stream || lane.kind == LaneKind::Stray)) ||
        (item.kind == Kind::Gap && lane.kind == LaneKind::Gaps) ||
        (item.kind == Kind::Launch && lane.kind == LaneKind::Host) ||
        (item.kind == Kind::Memop && lane.kind == LaneKind::Copies);
    if (!fits) continue;
    for (std::size_t i = 0; i < lane.items.size(); ++i) {
      if (lane.items[i].index == item.index) return Hit{l, i};
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
      return {Kind::Kernel, index};
    case LaneKind::Copies:
      return {Kind::Memop, index};
    case LaneKind::Busy:
      return {};
  }
  return {};
}

}  // namespace opscope::ui
