// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/drift_plot.h"

#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plots/time_ticker.h"
#include "state/colours.h"
#include "state/text.h"
#include "state/verdict.h"

namespace opscope::ui {
namespace {

constexpr double kDotReach = 8;  // px within which a click still means a point
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

DriftPlot::DriftPlot(Selection& selection, QWidget* parent)
    : QCustomPlot(parent),
      selection_(selection),
      followed_(selection.now()),
      seen_(*this, [this] { follow(); }) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Drift: busy against wall time"));
  setAccessibleDescription(tr("A dot per iteration, a line per pass median, the device's sensors below"));
  setNoAntialiasingOnDrag(true);
  connect(&selection_, &Selection::changed, &seen_, &WhenSeen::ask);
  connect(this, &QCustomPlot::afterLayout, this, &DriftPlot::fitTitles);
  rebuild();
}

void DriftPlot::setRelative(bool relative) {
  if (relative == relative_) return;
  relative_ = relative;
  rebuild();
}

void DriftPlot::follow() {
  const Selected& now = selection_.now();
  const Selected before = std::exchange(followed_, now);
  if (now.run != before.run) {
    rebuild();
  } else if (now.pass != before.pass || now.iteration != before.iteration) {
    showSelected();
    replot(QCustomPlot::rpQueuedReplot);
  }
}

double DriftPlot::valueOf(const DriftPoint& point, std::uint32_t implementation) const {
  const auto busy = static_cast<double>(point.busy);
  if (!relative_) return busy / unitNs_;
  return medians_[implementation] > 0 ? 100 * (busy / medians_[implementation] - 1) : 0;
}

void DriftPlot::setTitle(QCPAxis* axis, const QString& whole, const QString& unit) {
  axis->setLabel(whole);  // never empty: so the margins do not depend on which of the two is shown
  titles_.push_back({axis, whole, unit});
}

void DriftPlot::fitTitles() {
  for (const Title& title : titles_) {
    const int length = QFontMetrics(title.axis->labelFont()).horizontalAdvance(title.whole);
    title.axis->setLabel(length <= title.axis->axisRect()->height() ? title.whole : title.unit);
  }
}

QCPAxisRect* DriftPlot::addSensorRect() {
  auto* rect = new QCPAxisRect(this);
  plotLayout()->addElement(plotLayout()->rowCount(), 0, rect);
  plotLayout()->setRowStretchFactor(plotLayout()->rowCount() - 1, 0.45);
  rect->axis(QCPAxis::atLeft)->ticker()->setTickCount(2);
  rect->axis(QCPAxis::atRight)->ticker()->setTickCount(2);
  for (QCPAxis* axis : rect->axes()) {
    axis->setLayer(QStringLiteral("axes"));
    axis->grid()->setLayer(QStringLiteral("grid"));
    axis->setSubTicks(false);
  }
  return rect;
}

void DriftPlot::addReadings(QCPAxis* values, std::optional<int> TelemetrySample::* field, double scale,
                            const QColor& colour) {
  QVector<double> x;
  QVector<double> y;
  for (const DriftReading& reading : drift_.readings) {
    if (const auto& value = reading.sample.*field) {
      x << reading.seconds;
      y << *value * scale;
    }
  }
  auto* graph = addGraph(values->axisRect()->axis(QCPAxis::atBottom), values);
  graph->setData(x, y, true);
  graph->setPen(QPen(colour, 1.4));
  graph->setLineStyle(QCPGraph::lsStepLeft);
  graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, colour, colour, 4));
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  if (low == y.end()) return;
  const double margin = std::max(0.15 * (*high - *low), 0.02 * std::abs(*high) + 1);
  values->setRange(*low - margin, *high + margin);
}

void DriftPlot::addSensors(const PlotTheme& theme) {
  if (drift_.has(&TelemetrySample::smClockMhz)) {
    auto* rect = addSensorRect();
    setTitle(rect->axis(QCPAxis::atLeft), tr("SM, MHz"), tr("MHz"));
    addReadings(rect->axis(QCPAxis::atLeft), &TelemetrySample::smClockMhz, 1, theme.faint);
    addThrottleMarks(rect, theme);
  }
  const bool temperature = drift_.has(&TelemetrySample::temperatureC);
  const bool power = drift_.has(&TelemetrySample::powerMilliwatt);
  if (!temperature && !power) return;
  auto* rect = addSensorRect();
  if (temperature) {
    setTitle(rect->axis(QCPAxis::atLeft), tr("°C"), tr("°C"));
    addReadings(rect->axis(QCPAxis::atLeft), &TelemetrySample::temperatureC, 1,
                causeColour(GapCause::HostLate));
  }
  if (power) {
    QCPAxis* right = rect->axis(QCPAxis::atRight);
    right->setVisible(true);
    right->setTickLabels(true);
    setTitle(right, tr("W"), tr("W"));
    addReadings(right, &TelemetrySample::powerMilliwatt, 1e-3, causeColour(GapCause::Queued));
  }
}

void DriftPlot::addThrottleMarks(QCPAxisRect* rect, const PlotTheme& theme) {
  QCPAxis* values = rect->axis(QCPAxis::atLeft);
  QVector<double> x;
  std::uint64_t reasons = 0;
  for (const DriftReading& reading : drift_.readings) {
    const std::uint64_t held = heldDownBy(reading.sample.throttleReasons);
    if (held == 0) continue;
    x << reading.seconds;
    reasons |= held;
  }
  if (x.isEmpty()) return;
  auto* marks = addGraph(rect->axis(QCPAxis::atBottom), values);
  marks->setData(x, QVector<double>(x.size(), values->range().upper), true);
  marks->setLineStyle(QCPGraph::lsNone);
  const QColor colour = causeColour(GapCause::HostLate);
  marks->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssTriangleInverted, theme.text, colour, 8));
  marks->setAntialiasedScatters(true);
  auto* words = new QCPItemText(this);
  words->setText(tr("▼ clocks held down: %1").arg(text(throttleText(reasons))));
  words->setFont(font());
  words->setColor(theme.text);
  words->setPadding(QMargins(4, 10, 4, 0));
  words->setPositionAlignment(Qt::AlignRight | Qt::AlignTop);
  words->setClipAxisRect(rect);
  words->position->setAxisRect(rect);
  words->position->setType(QCPItemPosition::ptAxisRectRatio);
  words->position->setCoords(1, 0);
}

void DriftPlot::rebuild() {
  clearGraphs();
  clearItems();
  selected_ = nullptr;
  titles_.clear();
  while (plotLayout()->rowCount() > 1) {
    plotLayout()->remove(plotLayout()->element(plotLayout()->rowCount() - 1, 0));
    plotLayout()->simplify();
  }
  const auto run = selection_.now().run;
  drift_ = run ? driftOf(*run) : Drift{};
  medians_.clear();
  const PlotTheme theme = plotTheme(palette());
  const TimeUnit unit = run ? unitOf(*run) : TimeUnit::Microseconds;
  unitNs_ = nsPer(unit);
  std::vector<double> all;
  for (std::uint32_t i = 0; i < drift_.points.size(); ++i) {
    medians_.push_back(run->implementations[i].busy.median);
    const QColor colour = implementationColour(i);
    QVector<double> x;
    QVector<double> y;
    for (const DriftPoint& point : drift_.points[i]) {
      x << point.seconds;
      y << valueOf(point, i);
      all.push_back(y.back());
    }
    if (x.isEmpty()) continue;
    QColor light = colour;
    light.setAlpha(110);
    auto* dots = addGraph();
    dots->setData(x, y);
    dots->setLineStyle(QCPGraph::lsNone);
    dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssSquare, light, light, 3));
    // Medians: one stroke over each pass, a thin line from each to the next.
    QVector<double> strokeX;
    QVector<double> strokeY;
    QVector<double> lineX;
    QVector<double> lineY;
    for (const DriftPass& pass : drift_.passes) {
      if (pass.implementation != i) continue;
      const double value = valueOf({0, std::llround(pass.median), {}}, i);
      strokeX << pass.from << pass.to << pass.to;
      strokeY << value << value << kNothing;
      lineX << (pass.from + pass.to) / 2;
      lineY << value;
    }
    auto* line = addGraph();
    line->setData(lineX, lineY, true);
    line->setPen(QPen(colour, 1, Qt::DashLine));
    auto* strokes = addGraph();
    strokes->setData(strokeX, strokeY, true);
    strokes->setPen(QPen(theme.dark ? colour.lighter(120) : colour.darker(120), 3));
  }
  if (!all.empty()) {
    std::sort(all.begin(), all.end());
    // The middle 98 % and every pass median decide the scale; what lies outside is drawn at the zoom that
    // shows it.
    double low = all[static_cast<std::size_t>(0.01 * static_cast<double>(all.size() - 1))];
    double high = all[static_cast<std::size_t>(0.99 * static_cast<double>(all.size() - 1))];
    for (const DriftPass& pass : drift_.passes) {
      const double value = valueOf({0, std::llround(pass.median), {}}, pass.implementation);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const double margin = std::max(0.08 * (high - low), relative_ ? 0.2 : 0.002 * std::abs(high));
    yAxis->setRange(low - margin, high + margin);
  }
  addSensors(theme);
  selected_ = addGraph();
  selected_->setLineStyle(QCPGraph::lsNone);
  selected_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.text, 2), Qt::NoBrush, 11));
  applyTheme(*this, theme, font());
  const QString suffix = text(suffixOf(unit));
  setTitle(yAxis, relative_ ? tr("busy against its own median, %") : tr("busy, %1").arg(suffix),
           relative_ ? tr("%") : suffix);
  yAxis->ticker()->setTickCount(4);
  yAxis->setSubTicks(false);
  auto* margins = new QCPMarginGroup(this);
  const auto rects = axisRects();
  for (QCPAxisRect* rect : rects) {
    rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    rect->setMinimumMargins(QMargins(8, 4, 12, 2));
    QCPAxis* bottom = rect->axis(QCPAxis::atBottom);
    bottom->setTickLabels(rect == rects.back());
    bottom->setLabel(rect == rects.back() ? tr("seconds from the first pass") : QString());
  }
  for (QCPAxis* axis : {xAxis, yAxis}) axis->setTicks(!all.empty());
  showSelected();
  showAll();
}

void DriftPlot::showAll() {
  for (QCPAxisRect* rect : axisRects()) {
    rect->axis(QCPAxis::atBottom)->setRange(-0.01 * drift_.seconds, 1.01 * std::max(1e-6, drift_.seconds));
  }
  replot(QCustomPlot::rpQueuedReplot);
}

void DriftPlot::showSelected() {
  const Selected& now = selection_.now();
  QVector<double> x;
  QVector<double> y;
  const auto implementation = now.implementation();
  if (implementation >= 0 && static_cast<std::size_t>(implementation) < drift_.points.size()) {
    const IterationRef wanted{static_cast<std::uint32_t>(now.pass),
                              static_cast<std::uint32_t>(now.iteration)};
    for (const DriftPoint& point : drift_.points[static_cast<std::size_t>(implementation)]) {
      if (!(point.at == wanted)) continue;
      x << point.seconds;
      y << valueOf(point, static_cast<std::uint32_t>(implementation));
    }
  }
  selected_->setData(x, y);
}

std::optional<QPointF> DriftPlot::pixelOf(IterationRef iteration) const {
  for (std::uint32_t i = 0; i < drift_.points.size(); ++i) {
    for (const DriftPoint& point : drift_.points[i]) {
      if (point.at == iteration)
        return QPointF(xAxis->coordToPixel(point.seconds), yAxis->coordToPixel(valueOf(point, i)));
    }
  }
  return std::nullopt;
}

const DriftPoint* DriftPlot::pointAt(const QPointF& position) const {
  if (!axisRect()->rect().contains(position.toPoint())) return nullptr;
  const DriftPoint* best = nullptr;
  double bestDistance = kDotReach;
  const double from = xAxis->pixelToCoord(position.x() - kDotReach);
  const double to = xAxis->pixelToCoord(position.x() + kDotReach);
  for (std::uint32_t i = 0; i < drift_.points.size(); ++i) {
    const auto& points = drift_.points[i];
    auto at = std::lower_bound(points.begin(), points.end(), from,
                               [](const DriftPoint& point, double x) { return point.seconds < x; });
    for (; at != points.end() && at->seconds <= to; ++at) {
      const QPointF pixel(xAxis->coordToPixel(at->seconds), yAxis->coordToPixel(valueOf(*at, i)));
      const double distance = QLineF(pixel, position).length();
      if (distance >= bestDistance) continue;
      best = &*at;
      bestDistance = distance;
    }
  }
  return best;
}

void DriftPlot::wheelEvent(QWheelEvent* event) {
  const double factor = std::pow(0.8, event->angleDelta().y() / 120.0);
  const double at = xAxis->pixelToCoord(event->position().x());
  const double all = std::max(1e-6, drift_.seconds);
  const QCPRange old = xAxis->range();
  const double size = std::clamp(old.size() * factor, all * 1e-5, all * 1.02);
  const double lower = std::clamp(at - (at - old.lower) / old.size() * size, -0.01 * all,
                                  std::max(-0.01 * all, 1.01 * all - size));
  for (QCPAxisRect* rect : axisRects()) rect->axis(QCPAxis::atBottom)->setRange(lower, lower + size);
  replot(QCustomPlot::rpQueuedReplot);
  event->accept();
}

void DriftPlot::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const DriftPoint* point = pointAt(event->position())) {
    selection_.selectIteration(static_cast<std::int32_t>(point->at.pass),
                               static_cast<std::int32_t>(point->at.iteration));
  }
}

void DriftPlot::mouseMoveEvent(QMouseEvent* event) {
  const DriftPoint* point = pointAt(event->position());
  if (!point) {
    QToolTip::hideText();
    return;
  }
  const auto busy = static_cast<double>(point->busy);
  QToolTip::showText(event->globalPosition().toPoint(),
                     tr("pass %1, iteration %2\nbusy %3\n%4 s from the first pass")
                         .arg(point->at.pass + 1)
                         .arg(point->at.iteration)
                         .arg(timeText(unitFor(busy), busy), text(formatNumber(point->seconds))),
                     this);
}

void DriftPlot::mouseDoubleClickEvent(QMouseEvent*) {
  showAll();
}

void DriftPlot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuild();
}

}  // namespace opscope::ui
