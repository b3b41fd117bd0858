// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

namespace opscope::ui {

// Of plots whose points are marks, in pixels.
inline constexpr double kMark = 8;
inline constexpr double kNear = 10;  ///< within which a click still means a point
inline constexpr double kStill = 4;  ///< that a click may move

/// How an implementation is marked wherever it is a point: its colour and a shape, so that neither has to be
/// told apart alone. A hollow mark is the same implementation by another measure.
QCPScatterStyle implementationMarker(std::size_t implementation, double size, bool hollow = false,
                                     int alpha = 255);

}  // namespace opscope::ui
