// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

namespace opscope::ui {

inline constexpr double kMark = 8;  ///< px across, in most plots

/// How an implementation is marked wherever it is a point: its colour and a shape, so that neither has to be
/// told apart alone. A hollow mark is the same implementation by another measure.
QCPScatterStyle implementationMarker(std::size_t implementation, double size, bool hollow = false,
                                     int alpha = 255);

}  // namespace opscope::ui
