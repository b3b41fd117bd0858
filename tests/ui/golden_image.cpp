// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/golden_image.h"

#include <algorithm>
#include <cstdlib>

namespace opscope::uitest {
namespace {

constexpr int kSmaller = 4;

QImage small(const QImage& image) {
  return image
      .scaled(image.width() / kSmaller, image.height() / kSmaller, Qt::IgnoreAspectRatio,
              Qt::SmoothTransformation)
      .convertToFormat(QImage::Format_RGB32);
}

int distance(QRgb a, QRgb b) {
  return std::max(
      {std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)), std::abs(qBlue(a) - qBlue(b))});
}

}  // namespace

ImageDifference differenceOf(const QImage& a, const QImage& b) {
  if (a.isNull() || a.size() != b.size()) return {255, 1};
  const QImage one = small(a);
  const QImage other = small(b);
  double sum = 0;
  double apart = 0;
  for (int y = 0; y < one.height(); ++y) {
    for (int x = 0; x < one.width(); ++x) {
      const int d = distance(one.pixel(x, y), other.pixel(x, y));
      sum += d;
      if (d > ImageDifference::kApart) ++apart;
    }
  }
  const double places = static_cast<double>(one.width()) * one.height();
  return {sum / places, apart / places};
}

QString goldenFile(const QString& name) {
  return QStringLiteral(OPSCOPE_TEST_DATA "/golden/%1.png").arg(name);
}

QImage goldenImage(const QString& name) {
  return QImage(goldenFile(name));
}

}  // namespace opscope::uitest
