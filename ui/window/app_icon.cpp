// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/app_icon.h"

#include <QPainter>
#include <QPixmap>

namespace opscope::ui {

QIcon appIcon() {
  QIcon icon;
  for (const int size : {16, 24, 32, 48, 64, 128, 256}) {
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(size / 128.0, size / 128.0);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0x16, 0x22, 0x2e));
    painter.drawRoundedRect(QRectF(6, 6, 116, 116), 22, 22);
    painter.setBrush(QColor(0x56, 0xb4, 0xe9));
    painter.drawRoundedRect(QRectF(20, 30, 30, 18), 3, 3);
    painter.drawRoundedRect(QRectF(78, 30, 30, 18), 3, 3);
    painter.setBrush(QColor(0x00, 0x72, 0xb2));
    painter.drawRoundedRect(QRectF(20, 80, 30, 18), 3, 3);
    painter.drawRoundedRect(QRectF(78, 80, 30, 18), 3, 3);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0xd5, 0x5e, 0x00), 4));
    painter.drawRect(QRectF(52, 56, 24, 16));
    painter.drawLine(QPointF(54, 70), QPointF(66, 58));
    painter.drawLine(QPointF(62, 71), QPointF(74, 59));
    icon.addPixmap(pixmap);
  }
  return icon;
}

}  // namespace opscope::ui
