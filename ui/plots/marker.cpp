// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/marker.h"

#include <array>

#include "state/colours.h"

namespace opscope::ui {

QCPScatterStyle implementationMarker(std::size_t implementation, double size, bool hollow, int alpha) {
  // As many as can be told apart at a glance, and another number than there are colours.
  constexpr std::array kShapes{QCPScatterStyle::ssCircle, QCPScatterStyle::ssSquare,
                               QCPScatterStyle::ssTriangle, QCPScatterStyle::ssDiamond,
                               QCPScatterStyle::ssTriangleInverted};
  QColor colour = implementationColour(implementation);
  colour.setAlpha(alpha);
  return {kShapes[implementation % kShapes.size()], QPen(colour, hollow ? 1.8 : 1),
          hollow ? QBrush(Qt::NoBrush) : QBrush(colour), size};
}

}  // namespace opscope::ui
