// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/strip_plottable.h"

#include <algorithm>
#include <cmath>

#include "state/colours.h"
#include "state/text.h"

namespace opscope::ui {

StripPlottable::StripPlottable(QCPAxis* order, QCPAxis* time) : QCPAbstractPlottable(order, time) {
  setSelectable(QCP::stNone);
  setAntialiased(false);
}

void StripPlottable::set(StripLayout layout, std::vector<QString> names) {
  layout_ = std::move(layout);
  names_ = std::move(names);
}

double StripPlottable::selectTest(const QPointF&, bool, QVariant*) const {
  return -1;
}

QCPRange StripPlottable::getKeyRange(bool& found, QCP::SignDomain) const {
  found = !layout_.passes.empty();
  return QCPRange(0, layout_.width);
}

QCPRange StripPlottable::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
  found = !layout_.passes.empty();
  return QCPRange(0, static_cast<double>(layout_.top));
}

void StripPlottable::draw(QCPPainter* painter) {
  painter->setAntialiasing(false);
  for (const StripPass& pass : layout_.passes) {
    if (pass.to < keyAxis()->range().lower || pass.from > keyAxis()->range().upper) continue;
    drawPass(painter, pass);
    drawLabel(painter, pass);
  }
}

void StripPlottable::drawPass(QCPPainter* painter, const StripPass& pass) const {
  const QRectF area = keyAxis()->axisRect()->rect();
  const double from = std::max(keyAxis()->coordToPixel(pass.from), area.left());
  const double to = std::min(keyAxis()->coordToPixel(pass.to), area.right());
  const QColor colour = implementationColour(pass.implementation);
  if (pass.failed) {
    const QRectF box(from, area.top(), std::max(1.0, to - from), area.height());
    const QColor warning(0xc0, 0x39, 0x2b);
    painter->fillRect(box, QBrush(warning, Qt::BDiagPattern));
    painter->setPen(theme_.text);
    painter->setFont(parentPlot()->font());
    const QString word = QObject::tr("no number");
    const QFontMetricsF metrics(painter->font());
    if (metrics.horizontalAdvance(word) + 8 <= box.width()) {
      QRectF plate(0, 0, metrics.horizontalAdvance(word) + 8, metrics.height() + 2);
      plate.moveCenter(box.center());
      painter->fillRect(plate, theme_.background);
      painter->drawText(plate, Qt::AlignCenter, word);
    }
    return;
  }
  if (pass.bars.empty()) return;

  const double floorY = valueAxis()->coordToPixel(0);
  const double ceiling = area.top();
  const double perBar = keyAxis()->coordToPixel(1) - keyAxis()->coordToPixel(0);
  const QColor gapColour = [&] {
    QColor light = colour;
    light.setAlphaF(0.35F);
    return light;
  }();
  const auto first = static_cast<std::size_t>(
      std::clamp(keyAxis()->range().lower - pass.from, 0.0, static_cast<double>(pass.bars.size())));
  const auto last = static_cast<std::size_t>(std::clamp(std::ceil(keyAxis()->range().upper - pass.from), 0.0,
                                                        static_cast<double>(pass.bars.size())));
  const auto together = static_cast<std::size_t>(std::max(1.0, std::ceil(1.0 / perBar)));
  for (std::size_t i = first; i < last; i += together) {
    Ns busy = 0;
    Ns latency = 0;
    bool held = !holds_;
    for (std::size_t k = i; k < std::min(last, i + together); ++k) {
      busy = std::max(busy, pass.bars[k].busy);
      latency = std::max(latency, pass.bars[k].busy + pass.bars[k].gap);
      held = held || holds_(pass.bars[k]);
    }
    const double x = keyAxis()->coordToPixel(pass.from + static_cast<double>(i));
    const double width = std::max(1.0, perBar * static_cast<double>(together) - (perBar >= 3 ? 1 : 0));
    const double busyY = std::max(ceiling, valueAxis()->coordToPixel(static_cast<double>(busy)));
    const double latencyY = std::max(ceiling, valueAxis()->coordToPixel(static_cast<double>(latency)));
    painter->setOpacity(held ? 1.0 : 0.22);
    painter->fillRect(QRectF(x, busyY, width, floorY - busyY), colour);
    if (latencyY < busyY) painter->fillRect(QRectF(x, latencyY, width, busyY - latencyY), gapColour);
    painter->setOpacity(1.0);
    if (latency > layout_.top) {
      const double middle = x + width / 2;
      painter->setPen(Qt::NoPen);
      painter->setBrush(theme_.text);
      painter->drawPolygon(
          QPolygonF{{middle - 4, ceiling + 6}, {middle + 4, ceiling + 6}, {middle, ceiling - 1}});
    }
    if (selected_ && selected_->pass == pass.pass && selected_->iteration >= i &&
        selected_->iteration < i + together) {
      const double middle = x + width / 2;
      painter->setPen(QPen(theme_.text, 0));
      painter->drawLine(QPointF(middle, area.top()), QPointF(middle, floorY));
      painter->setBrush(theme_.accent);
      painter->setPen(QPen(theme_.background, 1));
      painter->drawPolygon(
          QPolygonF{{middle - 6, floorY + 9}, {middle + 6, floorY + 9}, {middle, floorY + 1}});
    }
  }
}

void StripPlottable::drawLabel(QCPPainter* painter, const StripPass& pass) const {
  const QRectF area = keyAxis()->axisRect()->rect();
  const double from = std::max(keyAxis()->coordToPixel(pass.from), area.left());
  const double to = std::min(keyAxis()->coordToPixel(pass.to), area.right());
  QFont bold = parentPlot()->font();
  bold.setBold(true);
  painter->setFont(bold);
  const QFontMetricsF metrics(bold);
  const QRectF room(from, area.top() - metrics.height() - 6, to - from, metrics.height() + 2);
  const QColor colour = implementationColour(pass.implementation);
  painter->fillRect(QRectF(room.left(), room.bottom(), room.width(), 3), colour);
  const QString letter = letterOf(pass.implementation);
  const QString full =
      pass.implementation < names_.size() ? letter + QLatin1Char(' ') + names_[pass.implementation] : letter;
  painter->setPen(theme_.text);
  // A name cut short says less than the letter that the verdict bar explains.
  const QString shown = metrics.horizontalAdvance(full) <= room.width()     ? full
                        : metrics.horizontalAdvance(letter) <= room.width() ? letter
                                                                            : QString();
  painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
}

}  // namespace opscope::ui
