// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>
#include <array>
#include <optional>

#include "plots/theme.h"
#include "plots/when_seen.h"
#include "state/distribution.h"
#include "state/selection.h"

namespace opscope::ui {

class TimeTicker;

/// Histogram and cumulative share of busy (left) and latency (right), per implementation. A drag over either
/// brushes the iterations whose value lies in it; a click lets go.
class DistributionPlot : public QCustomPlot {
  Q_OBJECT
 public:
  explicit DistributionPlot(Selection& selection, QWidget* parent = nullptr);

  /// Where a value lies in pixels of this widget.
  double pixelOf(Brush::Quantity quantity, Ns value) const;
  QString brushText() const { return said_->text(); }
  QSize minimumSizeHint() const override { return {320, 120}; }

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Side {
    Brush::Quantity quantity = Brush::Quantity::Busy;
    QCPAxisRect* rect = nullptr;
    QCPItemRect* brush = nullptr;
    Distribution shown;
    QSharedPointer<TimeTicker> ticker;
  };
  void follow();
  void rebuild();
  void fill(Side& side);
  void showBrush();
  const Side* sideAt(const QPointF& position) const;

  Selection& selection_;
  std::array<Side, 2> sides_;
  QCPTextElement* said_ = nullptr;
  const Side* dragged_ = nullptr;
  QPointF pressed_;
  Selected followed_;
  WhenSeen seen_;
};

}  // namespace opscope::ui
