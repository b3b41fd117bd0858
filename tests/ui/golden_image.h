// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>

namespace opscope::uitest {

/// How far a picture is from the one that was kept.
struct ImageDifference {
  double mean = 0;   ///< of all channels, out of 255
  double apart = 0;  ///< the share of places where a channel differs by more than kApart
  static constexpr int kApart = 48;
  bool isSame() const { return mean < 2.5 && apart < 0.01; }
};

/// Compares what a hand's breadth away from the screen compares: both are drawn at a quarter of their size,
/// so that how a letter's edge is smoothed, which differs between versions of the font's renderer, does not
/// count. Of other sizes they differ altogether.
ImageDifference differenceOf(const QImage& a, const QImage& b);

/// The kept picture of that name; null where there is none.
QImage goldenImage(const QString& name);
/// Where a picture is put when it is not what was kept, or to be kept (OPSCOPE_GOLDEN=write).
QString goldenFile(const QString& name);

}  // namespace opscope::uitest
