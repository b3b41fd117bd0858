// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/roofline_plot.h"

#include <QToolTip>
#include <algorithm>
#include <utility>

#include "plots/log_ticker.h"
#include "plots/marker.h"
#include "plots/pointing.h"
#include "state/colours.h"
#include "state/focus.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr double kPlace = 10;  // px
constexpr int kFaint = 110;    // of 255: points of other runs

QString roundBytes(double bytes) {
  const char* unit = " B";
  for (const char* next : {" kB", " MB", " GB", " TB"}) {
    if (bytes < 1'000) break;
    bytes /= 1'000;
    unit = next;
  }
  return roundNumber(bytes) + QString::fromLatin1(unit);
}

}  // namespace

RooflinePlot::RooflinePlot(const SessionModel& session, Selection& selection, QWidget* parent)
    : QCustomPlot(parent),
      session_(session),
      selection_(selection),
      followed_(selection.now()),
      seen_(*this, [this] { follow(); }) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Roofline: operations per second against operations per byte"));
  setAccessibleDescription(tr("The device's measured ceilings as lines, each implementation as a point"));
  setNoAntialiasingOnDrag(true);
  setInteractions(QCP::iRangeZoom | QCP::iRangeDrag);
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->grid()->setSubGridVisible(false);
  }
  axisRect()->setMinimumMargins(QMargins(8, 6, 12, 2));
  connect(&selection_, &Selection::changed, &seen_, &WhenSeen::ask);
  connect(&session_, &SessionModel::changed, &seen_, [this] {
    stale_ = true;
    seen_.ask();
  });
  rebuild();
}

void RooflinePlot::follow() {
  const Selected& now = selection_.now();
  const Selected before = std::exchange(followed_, now);
  if (std::exchange(stale_, false) || now.run != before.run) {
    rebuild();
  } else if (now.implementation() != before.implementation()) {
    showSelected();
    replot(QCustomPlot::rpQueuedReplot);
  }
}

// Axis values are in units of 1e12 or 1e9 per second, so that ticks are short.
double RooflinePlot::scale() const {
  return range_.yTo > 1e12 ? 1e12 : 1e9;
}

void RooflinePlot::rebuild() {
  clearGraphs();
  clearItems();
  roofline_ = rooflineOf(selection_.now().run, session_.runs());
  range_ = rangeOf(roofline_);
  const PlotTheme theme = plotTheme(palette());
  drawRoof(theme);
  drawPoints(theme);
  selected_ = addGraph();
  selected_->setLineStyle(QCPGraph::lsNone);
  selected_->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme.text, 2), Qt::NoBrush, kPlace + 8));
  applyTheme(*this, theme, font());
  const bool bytes = roofline_.ofBytes;
  xAxis->setTicker(QSharedPointer<LogTicker>::create(bytes ? LogTicker::Words(roundBytes)
                                                           : LogTicker::Words(roundNumber)));
  yAxis->setTicker(QSharedPointer<LogTicker>::create(LogTicker::Words(roundNumber)));
  xAxis->setLabel(bytes ? tr("bytes of one call, as claimed") : tr("operations per byte, as claimed"));
  const bool tera = scale() >= 1e12;
  yAxis->setLabel(bytes ? (tera ? tr("TB/s") : tr("GB/s")) : (tera ? tr("TFLOP/s") : tr("GFLOP/s")));
  for (QCPAxis* axis : {xAxis, yAxis}) axis->setTicks(!roofline_.points.empty());
  showSelected();
  showAll();
  Q_EMIT rebuilt();
}

void RooflinePlot::say(const QString& words, double x, double y, Qt::Alignment side, const QColor& colour) {
  auto* label = new QCPItemText(this);
  label->setText(words);
  label->setFont(font());
  label->setColor(colour);
  label->setPadding(QMargins(12, 2, 12, 2));
  label->setPositionAlignment(side);
  label->position->setCoords(x, y);
}

void RooflinePlot::drawRoof(const PlotTheme& theme) {
  if (!roofline_.memory || roofline_.points.empty()) return;
  // Far beyond both ends, so that panning does not show where it stops.
  const double from = range_.xFrom * 1e-3;
  const double to = range_.xTo * 1e3;
  QVector<double> x{from};
  if (const auto ridge = roofline_.ridge()) x << *ridge;
  x << to;
  QVector<double> y;
  for (const double at : std::as_const(x)) y << roofline_.roofAt(at) / scale();
  auto* roof = addGraph();
  roof->setData(x, y, true);
  roof->setPen(QPen(theme.text, 2));
  // Where the line comes into view.
  const double enters = roofline_.ofBytes ? 0 : range_.yFrom / *roofline_.memory;
  const double memoryAt = std::max(range_.xFrom, enters) * 1.5;
  say(tr("memory %1").arg(rateText(*roofline_.memory, true)), memoryAt, roofline_.roofAt(memoryAt) / scale(),
      Qt::AlignLeft | (roofline_.ofBytes ? Qt::AlignBottom : Qt::AlignVCenter), theme.faint);
  if (roofline_.matrix)
    say(tr("matrix %1, %2").arg(text(selection_.now().run->dtype), rateText(*roofline_.matrix, false)),
        range_.xTo, *roofline_.matrix / scale(), Qt::AlignRight | Qt::AlignBottom, theme.faint);
}

void RooflinePlot::drawPoints(const PlotTheme& theme) {
  // The run's own last, so that they lie on top.
  for (std::size_t i = roofline_.points.size(); i-- > 0;) {
    const RooflinePoint& point = roofline_.points[i];
    const bool own = i < roofline_.own;
    const double x = point.claimed.x;
    const double y = point.claimed.y / scale();
    QColor colour = implementationColour(point.implementation);
    if (own && point.efficiency) {
      // What is left up to its own ceiling, at the clock of its own passes.
      auto* left = addGraph();
      const double roof = roofline_.ofBytes                           ? point.efficiency->ceiling
                          : point.efficiency->bound == Bound::Compute ? point.efficiency->ceiling
                                                                      : point.efficiency->ceiling * x;
      left->setData({x, x}, {y, roof / scale()});
      left->setPen(QPen(colour, 1, Qt::DotLine));
    }
    if (own && point.moved) {
      auto* join = addGraph();
      join->setData({x, point.moved->x}, {y, point.moved->y / scale()});
      join->setPen(QPen(colour, 1, Qt::DashLine));
      auto* moved = addGraph();
      moved->setData({point.moved->x}, {point.moved->y / scale()});
      moved->setLineStyle(QCPGraph::lsNone);
      moved->setScatterStyle(implementationMarker(point.implementation, kPlace, true));
    }
    auto* mark = addGraph();
    mark->setData({x}, {y});
    mark->setLineStyle(QCPGraph::lsNone);
    mark->setScatterStyle(
        implementationMarker(point.implementation, own ? kPlace : kPlace - 3, false, own ? 255 : kFaint));
    if (!own) continue;
    const QString letter = letterOf(point.implementation);
    if (point.above) {
      say(tr("%1 above the ceiling").arg(letter), x, y * 1.1, Qt::AlignHCenter | Qt::AlignBottom, theme.text);
      continue;
    }
    say(letter, x, y, (i % 2 == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, theme.text);
  }
}

QPointF RooflinePlot::pixelOf(const RooflinePoint& point) const {
  return {xAxis->coordToPixel(point.claimed.x), yAxis->coordToPixel(point.claimed.y / scale())};
}

void RooflinePlot::showAll() {
  if (!roofline_.points.empty()) {
    xAxis->setRange(range_.xFrom, range_.xTo);
    yAxis->setRange(range_.yFrom / scale(), range_.yTo / scale());
  }
  replot(QCustomPlot::rpQueuedReplot);
}

const RooflinePoint* RooflinePlot::selectedPoint() const {
  const Selected& now = selection_.now();
  for (std::size_t i = 0; i < roofline_.own; ++i) {
    const RooflinePoint& point = roofline_.points[i];
    if (static_cast<std::int32_t>(point.implementation) == now.implementation()) return &point;
  }
  return nullptr;
}

void RooflinePlot::showSelected() {
  const RooflinePoint* point = selectedPoint();
  if (point) {
    selected_->setData({point->claimed.x}, {point->claimed.y / scale()});
  } else {
    selected_->setData(QVector<double>(), QVector<double>());
  }
}

void RooflinePlot::choose(const RooflinePoint& point) {
  selection_.select(medianSelection(point.run, point.implementation));
}

const RooflinePoint* RooflinePlot::pointAt(const QPointF& position) const {
  const RooflinePoint* best = nullptr;
  double nearest = kNear;
  for (const RooflinePoint& point : roofline_.points) {
    const double distance = QLineF(pixelOf(point), position).length();
    if (distance >= nearest) continue;
    best = &point;
    nearest = distance;
  }
  return best;
}

void RooflinePlot::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1
                   : event->key() == Qt::Key_Left || event->key() == Qt::Key_Up  ? -1
                                                                                 : 0;
  if (step == 0 || roofline_.own == 0) {
    QCustomPlot::keyPressEvent(event);
    return;
  }
  const RooflinePoint* now = selectedPoint();
  const auto count = static_cast<std::ptrdiff_t>(roofline_.own);
  const std::ptrdiff_t at = now ? now - roofline_.points.data() : (step > 0 ? -1 : count);
  if (at + step >= 0 && at + step < count) choose(roofline_.points[static_cast<std::size_t>(at + step)]);
}

void RooflinePlot::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position();
  QCustomPlot::mousePressEvent(event);
}

void RooflinePlot::mouseReleaseEvent(QMouseEvent* event) {
  QCustomPlot::mouseReleaseEvent(event);
  if (event->button() != Qt::LeftButton || QLineF(pressed_, event->position()).length() > kStill) return;
  if (const RooflinePoint* point = pointAt(event->position())) choose(*point);
}

void RooflinePlot::mouseMoveEvent(QMouseEvent* event) {
  QCustomPlot::mouseMoveEvent(event);
  const RooflinePoint* point = event->buttons() == Qt::NoButton ? pointAt(event->position()) : nullptr;
  if (!point) {
    QToolTip::hideText();
    return;
  }
  const Run& run = *point->run;
  QStringList lines{QStringLiteral("%1 %2").arg(letterOf(point->implementation),
                                                text(run.implementations[point->implementation].name)),
                    QStringLiteral("%1 %2 %3").arg(text(run.op), text(run.workload), text(run.dtype)),
                    rateText(point->claimed.y, roofline_.ofBytes)};
  if (!roofline_.ofBytes) lines << tr("%1 operations per byte").arg(text(formatNumber(point->claimed.x)));
  if (point->efficiency) lines << text(efficiencyText(point->efficiency));
  QToolTip::showText(event->globalPosition().toPoint(), lines.join(QLatin1Char('\n')), this);
}

void RooflinePlot::mouseDoubleClickEvent(QMouseEvent*) {
  showAll();
}

void RooflinePlot::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuild();
}

}  // namespace opscope::ui
