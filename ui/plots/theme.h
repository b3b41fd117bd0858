// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

class QCustomPlot;

namespace opscope::ui {

/// The colours of a plot, all from the palette: light and dark follow the system.
struct PlotTheme {
  bool dark = false;
  QColor background;
  QColor band;  ///< every second lane
  QColor line;  ///< grid and separators
  QColor text;
  QColor faint;   ///< text of less weight
  QColor accent;  ///< selection
};

PlotTheme plotTheme(const QPalette& palette);
/// Background, legend, and axes, ticks and grid of all axis rects.
void applyTheme(QCustomPlot& plot, const PlotTheme& theme, const QFont& font);
/// Shows the legend in so many columns above a plot that fills its whole width: inside, it would hide points.
void putLegendAbove(QCustomPlot& plot, int columns);

}  // namespace opscope::ui
