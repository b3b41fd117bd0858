// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/history_plot.h"

#include <QToolTip>
#include <algorithm>
#include <utility>

#include "plots/marker.h"
#include "plots/pointing.h"
#include "plots/time_ticker.h"
#include "session/comparison.h"
#include "session/device_record.h"
#include "state/colours.h"
#include "state/focus.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr double kBeside = 0.5;  // places on both sides of the first and the last
constexpr std::size_t kMostDates = 6;

}  // namespace

HistoryPlot::HistoryPlot(SessionModel& session, Selection& selection, QWidget* parent)
    : QCustomPlot(parent),
      session_(session),
      selection_(selection),
      followed_(selection.now()),
      seen_(*this, [this] { follow(); }) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("History: busy over the runs of a work"));
  setAccessibleDescription(tr("A line per implementation, a point per run, a band for the noise floor"));
  setNoAntialiasingOnDrag(true);
  setInteractions(QCP::iRangeZoom | QCP::iRangeDrag);
  axisRect()->setMinimumMargins(QMargins(8, 6, 12, 2));
  putLegendAbove(*this, 2);
  connect(&selection_, &Selection::changed, &seen_, &WhenSeen::ask);
  for (const auto signal : {&SessionModel::changed, &SessionModel::baselineChanged}) {
    connect(&session_, signal, &seen_, [this] {
      stale_ = true;
      seen_.ask();
    });
  }
  derive();
}

void HistoryPlot::follow() {
  const Selected& now = selection_.now();
  const Selected before = std::exchange(followed_, now);
  if (std::exchange(stale_, false) || now.run != before.run ||
      now.implementation() != before.implementation())
    derive();
}

void HistoryPlot::derive() {
  const Selected& now = selection_.now();
  history_ = historyFor(now.run, now.implementation(), session_.runs(), session_.baseline());
  rebuild();
  Q_EMIT rebuilt();
}

double HistoryPlot::placeOf(const HistoryPoint& point) const {
  return static_cast<double>(history_.placeOf(point.run).value_or(0));
}

QPointF HistoryPlot::pixelOf(const HistoryPoint& point) const {
  return {xAxis->coordToPixel(placeOf(point)), yAxis->coordToPixel(point.busy.median / unitNs_)};
}

void HistoryPlot::setRanges() {
  double low = 0;
  double high = 0;
  const auto cover = [&](double value) {
    low = low == 0 ? value : std::min(low, value);
    high = std::max(high, value);
  };
  for (const History::Line& line : history_.lines)
    for (const HistoryPoint& point : line.series.points) {
      cover(point.busy.p10);
      cover(point.busy.p90);
      cover(point.busy.median);
    }
  const TimeUnit unit = high > 0 ? unitFor(high) : TimeUnit::Microseconds;
  unitNs_ = nsPer(unit);
  yAxis->setLabel(tr("busy, %1").arg(text(suffixOf(unit))));
  if (high <= 0) {
    x_ = y_ = QCPRange(0, 1);
    return;
  }
  const HistorySeries& banded = history_.lines[history_.banded].series;
  const double middle = banded.points[banded.reference].busy.median;
  cover(middle / (1 + banded.band.share));
  cover(middle * (1 + banded.band.share));
  x_ = QCPRange(-kBeside, static_cast<double>(history_.runs.size()) - 1 + kBeside);
  const double margin = std::max(0.12 * (high - low), 0.02 * high);
  y_ = QCPRange(std::max(0.0, low - margin) / unitNs_, (high + margin) / unitNs_);
}

void HistoryPlot::rebuild() {
  clearGraphs();
  clearItems();
  const PlotTheme theme = plotTheme(palette());
  setRanges();
  QSharedPointer<QCPAxisTickerText> dates(new QCPAxisTickerText);
  const std::size_t each = (history_.runs.size() + kMostDates - 1) / kMostDates;
  for (std::size_t i = 0; i < history_.runs.size(); i += std::max<std::size_t>(each, 1))
    dates->addTick(static_cast<double>(i),
                   text(dateText(history_.runs[i]->startedUnixNs)).section(QLatin1Char(' '), 0, 1));
  xAxis->setTicker(dates);
  if (!history_.empty()) drawBand(theme);
  for (const History::Line& line : history_.lines) drawLine(line, theme);
  const Selected& now = selection_.now();
  if (const HistoryPoint* point = pointOf(now.run, now.implementation()))
    ring(*point, QPen(theme.text, 2), kMark + 8);
  if (const auto& pinned = session_.baseline())
    if (const HistoryPoint* point = pointOf(pinned->run, static_cast<std::int32_t>(pinned->implementation)))
      ring(*point, QPen(theme.text, 1.4, Qt::DotLine), kMark + 14);
  applyTheme(*this, theme, font());
  legend->setVisible(!history_.empty());
  for (QCPAxis* axis : {xAxis, yAxis}) axis->setTicks(!history_.empty());
  showAll();
}

void HistoryPlot::drawBand(const PlotTheme& theme) {
  const History::Line& line = history_.lines[history_.banded];
  const double middle = line.series.points[line.series.reference].busy.median / unitNs_;
  const double factor = 1 + line.series.band.share;
  QColor colour = implementationColour(line.place);
  const QVector<double> ends{x_.lower - 1e3, x_.upper + 1e3};
  auto* low = addGraph();
  low->setData(ends, {middle / factor, middle / factor}, true);
  low->setPen(Qt::NoPen);
  low->removeFromLegend();
  auto* high = addGraph();
  high->setData(ends, {middle * factor, middle * factor}, true);
  high->setPen(Qt::NoPen);
  colour.setAlphaF(theme.dark ? 0.28F : 0.18F);
  high->setBrush(colour);
  high->setChannelFillGraph(low);
  high->setName(tr("within %1 of the reference").arg(text(thresholdText(line.series.band))));
  auto* reference = addGraph();
  reference->setData(ends, {middle, middle}, true);
  reference->setPen(QPen(theme.faint, 1, Qt::DashLine));
  reference->removeFromLegend();
}

void HistoryPlot::drawLine(const History::Line& line, const PlotTheme& theme) {
  const QColor colour = implementationColour(line.place);
  QVector<double> x;
  QVector<double> y;
  QVector<double> otherX;
  QVector<double> otherY;
  for (const HistoryPoint& point : line.series.points) {
    const double place = placeOf(point);
    x << place;
    y << point.busy.median / unitNs_;
    if (point.otherKernels()) {
      otherX << place;
      otherY << point.busy.median / unitNs_;
    }
    auto* spread = addGraph();
    spread->setData({place, place}, {point.busy.p10 / unitNs_, point.busy.p90 / unitNs_});
    spread->setPen(QPen(colour, 3));
    spread->removeFromLegend();
  }
  auto* graph = addGraph();
  graph->setName(letterOf(line.place) + QLatin1Char(' ') + text(line.series.implementation));
  graph->setData(x, y, true);
  graph->setPen(QPen(theme.dark ? colour.lighter(115) : colour, 1.6));
  graph->setScatterStyle(implementationMarker(line.place, kMark));
  if (otherX.isEmpty()) return;
  // A cross through the point: its time is not of the same thing.
  auto* other = addGraph();
  other->setData(otherX, otherY, true);
  other->setLineStyle(QCPGraph::lsNone);
  other->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCross, QPen(theme.text, 1.6), Qt::NoBrush, kMark + 6));
  other->setName(tr("ran other kernels than the reference"));
}

void HistoryPlot::ring(const HistoryPoint& point, const QPen& pen, double size) {
  auto* mark = addGraph();
  mark->setData({placeOf(point)}, {point.busy.median / unitNs_});
  mark->setLineStyle(QCPGraph::lsNone);
  mark->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, pen, Qt::NoBrush, size));
  mark->removeFromLegend();
}

void HistoryPlot::showAll() {
  xAxis->setRange(x_);
  yAxis->setRange(y_);
  replot(QCustomPlot::rpQueuedReplot);
}

const HistoryPoint* HistoryPlot::pointOf(const std::shared_ptr<const Run>& run,
                                         std::int32_t implementation) const {
  for (const History::Line& line : history_.lines)
    for (const HistoryPoint& point : line.series.points)
      if (point.run == run && static_cast<std::int32_t>(point.implementation) == implementation)
        return &point;
  return nullptr;
}

const HistoryPoint* HistoryPlot::pointAt(const QPointF& position) const {
  const HistoryPoint* nearest = nullptr;
  double least = kNear;
  for (const History::Line& line : history_.lines)
    for (const HistoryPoint& point : line.series.points)
      if (const double distance = QLineF(pixelOf(point), position).length(); distance < least) {
        least = distance;
        nearest = &point;
      }
  return nearest;
}

void HistoryPlot::pin(const HistoryPoint& point) {
  // A copy: pinning builds the history anew.
  const Baseline baseline{point.run, point.implementation};
  session_.pin(baseline);
}

void HistoryPlot::keyPressEvent(QKeyEvent* event) {
  const Selected& now = selection_.now();
  const HistoryPoint* point = pointOf(now.run, now.implementation());
  if (point && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
    pin(*point);
    return;
  }
  if (!point || (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right)) {
    QCustomPlot::keyPressEvent(event);
    return;
  }
  for (const History::Line& line : history_.lines)
    for (std::size_t i = 0; i < line.series.points.size(); ++i) {
      if (&line.series.points[i] != point) continue;
      const std::size_t next = event->key() == Qt::Key_Right ? i + 1 : i - 1;  // before the first: very large
      if (next < line.series.points.size()) {
        const Selected chosen =
            medianSelection(line.series.points[next].run, line.series.points[next].implementation);
        selection_.select(chosen);
      }
      return;
    }
}

void HistoryPlot::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position();
  QCustomPlot::mousePressEvent(event);
}

void HistoryPlot::mouseReleaseEvent(QMouseEvent* event) {
  QCustomPlot::mouseReleaseEvent(event);
  if (event->button() != Qt::LeftButton || QLineF(pressed_, event->position()).length() > kStill) return;
  if (const HistoryPoint* point = pointAt(event->position())) pin(*point);
}

void HistoryPlot::mouseMoveEvent(QMouseEvent* event) {
  QCustomPlot::mouseMoveEvent(event);
  const HistoryPoint* point = event->buttons() == Qt::NoButton ? pointAt(event->position()) : nullptr;
  if (!point) {
    QToolTip::hideText();
    return;
  }
  QString words = tr("%1: %2 busy (p10 %3, p90 %4, n = %5)")
                      .arg(text(point->run->implementations[point->implementation].name),
                           text(formatNs(point->busy.median)), text(formatNs(point->busy.p10)),
                           text(formatNs(point->busy.p90)))
                      .arg(point->busy.n) +
                  QLatin1Char('\n') + wallTimeText(point->run->startedUnixNs);
  if (point->otherKernels()) words += QLatin1Char('\n') + tr("ran other kernels than the reference");
  words += QLatin1Char('\n') + tr("A click pins it as the baseline.");
  QToolTip::showText(event->globalPosition().toPoint(), words, this);
}

void HistoryPlot::mouseDoubleClickEvent(QMouseEvent*) {
  showAll();
}

void HistoryPlot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuild();
}

}  // namespace opscope::ui
