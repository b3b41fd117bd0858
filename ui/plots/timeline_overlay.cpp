// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/timeline_overlay.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "state/text.h"

namespace opscope::ui {

TimelineOverlay::TimelineOverlay(QCustomPlot* plot, QCPAxis* time, QCPAxis* rows)
    : QCPLayerable(plot, QStringLiteral("overlay")), time_(time), rows_(rows) {}

void TimelineOverlay::applyDefaultAntialiasingHint(QCPPainter* painter) const {
  applyAntialiasingHint(painter, true, QCP::aeOther);
}

QRectF TimelineOverlay::pixels(const Box& box) const {
  const QRectF area = clipRect();
  const double x0 = std::max(time_->coordToPixel(box.start), area.left() - 10);
  const double x1 = std::min(time_->coordToPixel(box.end), area.right() + 10);
  const double y0 = rows_->coordToPixel(box.top);
  const double y1 = rows_->coordToPixel(box.top + box.height);
  return QRectF(x0, y0, std::max(1.0, x1 - x0), y1 - y0);
}

void TimelineOverlay::drawRange(QCPPainter* painter) const {
  const QRectF area = clipRect();
  const double x0 = std::max(time_->coordToPixel(range->lower), area.left() - 10);
  const double x1 = std::min(time_->coordToPixel(range->upper), area.right() + 10);
  QColor shade = theme.accent;
  shade.setAlpha(50);
  painter->fillRect(QRectF(x0, area.top(), x1 - x0, area.height()), shade);
  painter->setPen(QPen(theme.accent, 1));
  painter->drawLine(QPointF(x0, area.top()), QPointF(x0, area.bottom()));
  painter->drawLine(QPointF(x1, area.top()), QPointF(x1, area.bottom()));
  if (rangeText.isEmpty()) return;
  drawPlate(painter, rangeText, (x0 + x1) / 2,
            area.bottom() - QFontMetricsF(parentPlot()->font()).height() - 7);
}

void TimelineOverlay::drawPlate(QCPPainter* painter, const QString& words, double centre, double top) const {
  const QRectF area = clipRect();
  painter->setFont(parentPlot()->font());
  const QFontMetricsF metrics(painter->font());
  QRectF plate(0, top, metrics.horizontalAdvance(words) + 12, metrics.height() + 4);
  plate.moveLeft(centre - plate.width() / 2);
  if (plate.left() < area.left() + 2) plate.moveLeft(area.left() + 2);
  if (plate.right() > area.right() - 2) plate.moveRight(area.right() - 2);
  painter->setBrush(theme.background);
  painter->drawRoundedRect(plate, 3, 3);
  painter->setPen(theme.text);
  painter->drawText(plate, Qt::AlignCenter, words);
}

void TimelineOverlay::drawRulers(QCPPainter* painter) const {
  const QRectF area = clipRect();
  const double line = QFontMetricsF(parentPlot()->font()).height() + 8;
  const auto draw = [&](double at, const QString& name) {
    const double x = time_->coordToPixel(at);
    if (x < area.left() || x > area.right()) return;
    painter->setPen(QPen(theme.text, 1.5, Qt::DashDotLine));
    painter->drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter->setPen(QPen(theme.text, 1));
    drawPlate(painter, name, x, area.bottom() - 2 * line);
  };
  if (rulerA) draw(*rulerA, QStringLiteral("A"));
  if (!rulerB) return;
  draw(*rulerB, QStringLiteral("B"));
  const double apart = *rulerB - *rulerA;
  painter->setPen(QPen(theme.text, 1));
  const double y = area.bottom() - 2.6 * line;
  const double a = std::clamp(time_->coordToPixel(*rulerA), area.left(), area.right());
  const double b = std::clamp(time_->coordToPixel(*rulerB), area.left(), area.right());
  painter->drawLine(QPointF(a, y), QPointF(b, y));
  drawPlate(painter, QObject::tr("B - A = %1").arg(timeText(unitFor(std::abs(apart)), apart)), (a + b) / 2,
            y - line / 2);
}

void TimelineOverlay::drawNotice(QCPPainter* painter) const {
  const QRectF area = QRectF(clipRect()).adjusted(12, 6, -12, -6);
  painter->setFont(parentPlot()->font());
  const QRectF words =
      QFontMetricsF(painter->font()).boundingRect(area, Qt::AlignCenter | Qt::TextWordWrap, notice);
  painter->setPen(QPen(theme.line, 1));
  painter->setBrush(theme.background);
  painter->drawRoundedRect(words.adjusted(-10, -6, 10, 6), 3, 3);
  painter->setPen(theme.text);
  painter->drawText(words, Qt::AlignCenter | Qt::TextWordWrap, notice);
}

void TimelineOverlay::draw(QCPPainter* painter) {
  painter->setBrush(Qt::NoBrush);
  if (range) drawRange(painter);
  painter->setBrush(Qt::NoBrush);
  if (launch && kernel) {
    const QRectF from = pixels(*launch);
    const QRectF to = pixels(*kernel);
    painter->setPen(QPen(theme.background, 3));
    painter->drawLine(QPointF(from.right(), from.bottom()), QPointF(to.left(), to.top()));
    painter->setPen(QPen(theme.text, 1.2, Qt::DashLine));
    painter->drawLine(QPointF(from.right(), from.bottom()), QPointF(to.left(), to.top()));
    painter->setPen(QPen(theme.text, 1, Qt::DotLine));
    painter->drawRect(from.adjusted(-0.5, 1, 0.5, -2));
    painter->drawRect(to.adjusted(-0.5, 1, 0.5, -2));
  }
  if (selected) {
    // Two lines, so that the frame shows on every colour.
    const QRectF frame = pixels(*selected).adjusted(-1, 0, 1, -1);
    painter->setPen(QPen(theme.background, 4));
    painter->drawRect(frame);
    painter->setPen(QPen(theme.accent, 2));
    painter->drawRect(frame);
  }
  if (rulerA) drawRulers(painter);
  if (!notice.isEmpty()) drawNotice(painter);
  if (cursor) {
    const QRectF area = clipRect();
    const double x = time_->coordToPixel(*cursor);
    painter->setPen(QPen(theme.faint, 0));
    painter->drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  }
}

}  // namespace opscope::ui
