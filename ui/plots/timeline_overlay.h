// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>
#include <optional>

#include "plots/theme.h"

namespace opscope::ui {

/// What lies over the lanes and changes often: the selection, the line from a launch to its kernel, the
/// range, the cursor. On a layer of its own, so that moving the mouse never draws the lanes again. All x in
/// ns from the origin, all y on the row axis.
class TimelineOverlay : public QCPLayerable {
 public:
  struct Box {
    double start = 0;
    double end = 0;
    double top = 0;
    double height = 0;
  };

  TimelineOverlay(QCustomPlot* plot, QCPAxis* time, QCPAxis* rows);

  PlotTheme theme;
  std::optional<Box> selected;
  // The launch and the kernel that belong to what is selected, joined by a line.
  std::optional<Box> launch;
  std::optional<Box> kernel;
  std::optional<QCPRange> range;
  QString rangeText;
  /// Why there is nothing to draw; over everything.
  QString notice;
  std::optional<double> cursor;
  std::optional<double> rulerA;
  std::optional<double> rulerB;

 protected:
  void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
  void draw(QCPPainter* painter) override;
  QRect clipRect() const override { return time_->axisRect()->rect(); }

 private:
  QRectF pixels(const Box& box) const;
  void drawRange(QCPPainter* painter) const;
  void drawRulers(QCPPainter* painter) const;
  void drawNotice(QCPPainter* painter) const;
  void drawPlate(QCPPainter* painter, const QString& words, double centre, double top) const;

  QCPAxis* time_;
  QCPAxis* rows_;
};

}  // namespace opscope::ui
