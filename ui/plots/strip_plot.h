// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>
#include <memory>

#include "plots/theme.h"
#include "state/selection.h"
#include "state/strip_layout.h"

namespace opscope::ui {

class StripPlottable;
class TimeTicker;

/// Every iteration of the run in the order it ran, pass by pass. A click selects one; the wheel zooms.
class StripPlot : public QCustomPlot {
  Q_OBJECT
 public:
  explicit StripPlot(Selection& selection, QWidget* parent = nullptr);

  /// Passes of a measurement in progress instead of the selected run; null ends it. Nothing can be selected
  /// meanwhile.
  void showLive(std::shared_ptr<const Run> run);
  const StripLayout& layoutShown() const;

  /// The middle of an iteration's bar in pixels of this widget; NaN when the run has none.
  double pixelOf(IterationRef iteration) const;
  QSize minimumSizeHint() const override { return {320, 110}; }
  QSize sizeHint() const override { return {800, 150}; }

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void follow(const Selected& now, const Selected& before);
  void rebuild();
  void showBrush();
  void applyLooks();
  void showAll();

  Selection& selection_;
  std::shared_ptr<const Run> live_;
  StripPlottable* bars_ = nullptr;
  QSharedPointer<TimeTicker> ticker_;
};

}  // namespace opscope::ui
