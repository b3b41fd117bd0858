// SPDX-License-Identifier: GPL-3.0-or-later
#include "plots/theme.h"

#include <qcustomplot.h>

namespace opscope::ui {
namespace {

QColor mix(const QColor& a, const QColor& b, double share) {
  return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * share),
                          static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * share),
                          static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * share));
}

}  // namespace

PlotTheme plotTheme(const QPalette& palette) {
  PlotTheme theme;
  theme.background = palette.color(QPalette::Base);
  theme.text = palette.color(QPalette::Text);
  theme.dark = theme.background.lightness() < 128;
  theme.band = mix(theme.background, theme.text, 0.04);
  theme.line = mix(theme.background, theme.text, 0.16);
  theme.faint = mix(theme.background, theme.text, 0.68);
  theme.accent = palette.color(QPalette::Highlight);
  return theme;
}

void applyTheme(QCustomPlot& plot, const PlotTheme& theme, const QFont& font) {
  plot.setBackground(QBrush(theme.background));
  if (plot.legend) {
    plot.legend->setBrush(theme.background);
    plot.legend->setBorderPen(QPen(theme.line));
    plot.legend->setTextColor(theme.text);
    plot.legend->setFont(font);
  }
  for (QCPAxisRect* rect : plot.axisRects()) {
    for (QCPAxis* axis : rect->axes()) {
      axis->setBasePen(QPen(theme.line));
      axis->setTickPen(QPen(theme.line));
      axis->setSubTickPen(QPen(theme.line));
      axis->setTickLabelColor(theme.faint);
      axis->setLabelColor(theme.faint);
      axis->setTickLabelFont(font);
      axis->setLabelFont(font);
      axis->grid()->setPen(QPen(theme.line, 1, Qt::DotLine));
      axis->grid()->setZeroLinePen(QPen(theme.line));
    }
  }
}

void putLegendAbove(QCustomPlot& plot, int columns) {
  plot.legend->setVisible(true);
  plot.axisRect()->insetLayout()->take(plot.legend);
  plot.plotLayout()->insertRow(0);
  plot.plotLayout()->addElement(0, 0, plot.legend);
  plot.plotLayout()->setRowStretchFactor(0, 0.001);
  plot.legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  plot.legend->setWrap(columns);
}

}  // namespace opscope::ui
