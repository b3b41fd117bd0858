// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/sweep_plot.h"

#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "plots/log_ticker.h"
#include "plots/marker.h"
#include "plots/pointing.h"
#include "plots/time_ticker.h"
#include "state/colours.h"
#include "state/focus.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr double kLogFrom = 10;  // a taller range of times is read on a logarithmic axis

void setScale(QCPAxis* axis, bool logarithmic, const LogTicker::Words& words) {
  axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (logarithmic) {
    axis->setTicker(QSharedPointer<LogTicker>::create(words));
  } else {
    axis->setTicker(QSharedPointer<QCPAxisTicker>::create());
  }
}

}  // namespace

SweepPlot::SweepPlot(const SessionModel& session, Selection& selection, QWidget* parent)
    : QCustomPlot(parent),
      session_(session),
      selection_(selection),
      followed_(selection.now()),
      seen_(*this, [this] { follow(); }) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Sweep: busy against one dimension of the shape"));
  setAccessibleDescription(tr("A line per implementation, a point per run"));
  setNoAntialiasingOnDrag(true);
  setInteractions(QCP::iRangeZoom | QCP::iRangeDrag);
  axisRect()->setMinimumMargins(QMargins(8, 6, 12, 2));
  putLegendAbove(*this, 3);
  connect(&selection_, &Selection::changed, &seen_, &WhenSeen::ask);
  connect(&session_, &SessionModel::changed, &seen_, [this] {
    stale_ = true;
    seen_.ask();
  });
  derive();
}

void SweepPlot::follow() {
  const Selected& now = selection_.now();
  const Selected before = std::exchange(followed_, now);
  if (std::exchange(stale_, false) || now.run != before.run) {
    derive();
  } else if (now.implementation() != before.implementation()) {
    showSelected();
    replot(QCustomPlot::rpQueuedReplot);
  }
}

void SweepPlot::setAxis(const std::string& dim) {
  if (dim == sweep_.dim) return;
  wanted_ = dim;
  derive();
}

void SweepPlot::setQuantity(Quantity quantity) {
  if (quantity == quantity_) return;
  quantity_ = quantity;
  rebuild();
}

void SweepPlot::derive() {
  const auto run = selection_.now().run;
  axes_ = sweepAxes(run, session_.runs());
  const bool has = std::find(axes_.begin(), axes_.end(), wanted_) != axes_.end();
  const std::string dim = axes_.empty() ? std::string() : has ? wanted_ : axes_.front();
  sweep_ = sweepOf(run, session_.runs(), dim);
  rebuild();
  Q_EMIT rebuilt();
}

std::optional<double> SweepPlot::valueOf(const SweepPoint& point) const {
  if (quantity_ == Quantity::Busy) return point.busy.median / unitNs_;
  if (!point.efficiency) return std::nullopt;
  return *point.efficiency * 100;
}

void SweepPlot::setRanges() {
  double low = 0;
  double high = 0;
  for (const SweepSeries& series : sweep_.series) {
    for (const SweepPoint& point : series.points) {
      const auto value = valueOf(point);
      if (!value) continue;
      low = low == 0 ? *value : std::min(low, *value);
      high = std::max(high, *value);
    }
  }
  const bool tall = quantity_ == Quantity::Busy && low > 0 && high / low >= kLogFrom;
  setScale(xAxis, sweep_.geometric, roundNumber);
  setScale(yAxis, tall, roundNumber);
  if (sweep_.sizes.empty() || high <= 0) {
    x_ = y_ = QCPRange(0, 1);
    return;
  }
  if (sweep_.geometric) {
    // The sizes themselves: decades would stand between them.
    QSharedPointer<QCPAxisTickerText> sizes(new QCPAxisTickerText);
    for (const std::int64_t size : sweep_.sizes)
      sizes->addTick(static_cast<double>(size), QString::number(size));
    if (sweep_.sizes.size() <= 16) xAxis->setTicker(sizes);
  }
  const auto first = static_cast<double>(sweep_.sizes.front());
  const auto last = static_cast<double>(sweep_.sizes.back());
  const double margin = std::max(0.05 * (last - first), 0.5);
  const double factor = std::pow(last / first, 0.05) * 1.02;
  x_ = sweep_.geometric ? QCPRange(first / factor, last * factor) : QCPRange(first - margin, last + margin);
  y_ = tall ? QCPRange(low / 1.5, high * 1.5) : QCPRange(0, high * 1.12);
}

void SweepPlot::rebuild() {
  clearGraphs();
  clearItems();
  const PlotTheme theme = plotTheme(palette());
  double longest = 0;
  for (const SweepSeries& series : sweep_.series)
    for (const SweepPoint& point : series.points) longest = std::max(longest, point.busy.median);
  const TimeUnit unit = longest > 0 ? unitFor(longest) : TimeUnit::Microseconds;
  unitNs_ = nsPer(unit);
  setRanges();
  for (std::size_t i = 0; i < sweep_.series.size(); ++i) drawSeries(i, theme);
  selected_ = addGraph();
  selected_->removeFromLegend();
  selected_->setLineStyle(QCPGraph::lsNone);
  selected_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.text, 2), Qt::NoBrush, kMark + 8));
  applyTheme(*this, theme, font());
  legend->setVisible(!sweep_.sizes.empty());
  xAxis->setLabel(text(sweep_.dim));
  yAxis->setLabel(quantity_ == Quantity::Busy ? tr("busy, %1").arg(text(suffixOf(unit)))
                                              : tr("% of the ceiling that binds"));
  for (QCPAxis* axis : {xAxis, yAxis}) axis->setTicks(!sweep_.sizes.empty());
  showSelected();
  showAll();
}

void SweepPlot::drawSeries(std::size_t place, const PlotTheme& theme) {
  const SweepSeries& series = sweep_.series[place];
  const QColor colour = implementationColour(place);
  QVector<double> lineX;
  QVector<double> lineY;
  for (const SweepPoint* point : series.newest()) {
    const auto value = valueOf(*point);
    if (!value) continue;
    lineX << static_cast<double>(point->size);
    lineY << *value;
  }
  auto* line = addGraph();
  line->setName(letterOf(place) + QLatin1Char(' ') + text(series.name));
  line->setData(lineX, lineY, true);
  line->setPen(QPen(theme.dark ? colour.lighter(115) : colour, 1.6));
  line->setScatterStyle(implementationMarker(place, kMark));
  if (lineX.isEmpty()) line->removeFromLegend();
  QVector<double> olderX;
  QVector<double> olderY;
  for (const SweepPoint& point : series.points) {
    const auto value = valueOf(point);
    if (!value) continue;
    if (quantity_ == Quantity::Busy) {
      auto* spread = addGraph();
      const auto x = static_cast<double>(point.size);
      spread->setData({x, x}, {point.busy.p10 / unitNs_, point.busy.p90 / unitNs_});
      spread->setPen(QPen(colour, 3));
      spread->removeFromLegend();
    }
    olderX << static_cast<double>(point.size);
    olderY << *value;
  }
  auto* older = addGraph();
  older->setData(olderX, olderY, true);
  older->setLineStyle(QCPGraph::lsNone);
  older->setScatterStyle(implementationMarker(place, kMark - 2, true));
  older->removeFromLegend();
}

QPointF SweepPlot::pixelOf(const SweepPoint& point) const {
  return {xAxis->coordToPixel(static_cast<double>(point.size)),
          yAxis->coordToPixel(valueOf(point).value_or(0))};
}

void SweepPlot::showAll() {
  xAxis->setRange(x_);
  yAxis->setRange(y_);
  replot(QCustomPlot::rpQueuedReplot);
}

const SweepPoint* SweepPlot::selectedPoint() const {
  const Selected& now = selection_.now();
  for (const SweepSeries& series : sweep_.series)
    for (const SweepPoint& point : series.points)
      if (point.run == now.run && static_cast<std::int32_t>(point.implementation) == now.implementation())
        return &point;
  return nullptr;
}

void SweepPlot::showSelected() {
  const SweepPoint* point = selectedPoint();
  const auto value = point ? valueOf(*point) : std::nullopt;
  if (value) {
    selected_->setData({static_cast<double>(point->size)}, {*value});
  } else {
    selected_->setData(QVector<double>(), QVector<double>());
  }
}

void SweepPlot::choose(const SweepPoint& point) {
  selection_.select(medianSelection(point.run, point.implementation));
}

std::vector<const SweepPoint*> SweepPlot::pointsAt(const QPointF& position) const {
  std::vector<std::pair<double, const SweepPoint*>> near;
  for (const SweepSeries& series : sweep_.series) {
    for (const SweepPoint& point : series.points) {
      if (!valueOf(point)) continue;
      const double distance = QLineF(pixelOf(point), position).length();
      if (distance < kNear) near.emplace_back(distance, &point);
    }
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const SweepPoint*> points;
  for (const auto& [distance, point] : near) points.push_back(point);
  return points;
}

void SweepPlot::keyPressEvent(QKeyEvent* event) {
  const SweepPoint* now = selectedPoint();
  const bool along = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
  const bool across = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
  if (!now || (!along && !across)) {
    QCustomPlot::keyPressEvent(event);
    return;
  }
  const int step = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1 : -1;
  if (along) {
    for (const SweepSeries& series : sweep_.series) {
      for (std::size_t i = 0; i < series.points.size(); ++i) {
        if (&series.points[i] != now) continue;
        const std::size_t next = step > 0 ? i + 1 : i - 1;  // before the first there is a very large one
        if (next < series.points.size()) choose(series.points[next]);
        return;
      }
    }
    return;
  }
  // The other implementations of the same run.
  const auto next = static_cast<std::int64_t>(now->implementation) + step;
  if (next >= 0 && next < std::ssize(now->run->implementations))
    selection_.select(medianSelection(now->run, static_cast<std::uint32_t>(next)));
}

void SweepPlot::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position();
  QCustomPlot::mousePressEvent(event);
}

void SweepPlot::mouseReleaseEvent(QMouseEvent* event) {
  QCustomPlot::mouseReleaseEvent(event);
  if (event->button() != Qt::LeftButton || QLineF(pressed_, event->position()).length() > kStill) return;
  const auto points = pointsAt(event->position());
  if (points.empty()) return;
  const auto now = std::find(points.begin(), points.end(), selectedPoint());
  const bool isLast = now == points.end() || now + 1 == points.end();
  choose(isLast ? *points.front() : **(now + 1));
}

void SweepPlot::mouseMoveEvent(QMouseEvent* event) {
  QCustomPlot::mouseMoveEvent(event);
  const auto points =
      event->buttons() == Qt::NoButton ? pointsAt(event->position()) : std::vector<const SweepPoint*>{};
  if (points.empty()) {
    QToolTip::hideText();
    return;
  }
  QStringList lines;
  for (const SweepPoint* point : points) {
    QString line = tr("%1, %2 = %3: %4 busy (p10 %5, p90 %6, n = %7)")
                       .arg(text(point->run->implementations[point->implementation].name), text(sweep_.dim))
                       .arg(point->size)
                       .arg(text(formatNs(point->busy.median)), text(formatNs(point->busy.p10)),
                            text(formatNs(point->busy.p90)))
                       .arg(point->busy.n);
    if (point->efficiency)
      line += QStringLiteral(", %1 %2").arg(text(formatShare(*point->efficiency)), text(point->bound));
    lines << line + QStringLiteral("\n    ") + wallTimeText(point->run->startedUnixNs);
  }
  QToolTip::showText(event->globalPosition().toPoint(), lines.join(QLatin1Char('\n')), this);
}

void SweepPlot::mouseDoubleClickEvent(QMouseEvent*) {
  showAll();
}

void SweepPlot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuild();
}

}  // namespace opscope::ui
