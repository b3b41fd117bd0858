// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <optional>

#include "plots/theme.h"
#include "plots/when_seen.h"
#include "state/selection.h"
#include "state/session_model.h"
#include "state/sweep.h"

namespace opscope::ui {

/// Busy, or efficiency, of each implementation against one dimension. A line joins the newest runs; a bar is
/// p10 to p90. A click or the arrow keys select the run behind a point (a click where several runs lie goes
/// through them), the wheel zooms, a drag pans, a double click shows all.
class SweepPlot : public QCustomPlot {
  Q_OBJECT
 public:
  enum class Quantity : std::uint8_t { Busy, Efficiency };
  SweepPlot(const SessionModel& session, Selection& selection, QWidget* parent = nullptr);

  const Sweep& sweep() const { return sweep_; }
  /// The dimensions that can be shown.
  const std::vector<std::string>& axes() const { return axes_; }
  void setAxis(const std::string& dim);
  void setQuantity(Quantity quantity);
  /// The place of a point in pixels of this widget.
  QPointF pixelOf(const SweepPoint& point) const;
  QSize minimumSizeHint() const override { return {260, 120}; }
  /// Derives what is shown, if that was put off.
  void catchUp() { seen_.catchUp(); }

 Q_SIGNALS:
  /// Other runs, another op: axes() and sweep() are others.
  void rebuilt();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void follow();
  void derive();
  void rebuild();
  void drawSeries(std::size_t place, const PlotTheme& theme);
  void setRanges();
  void showSelected();
  void showAll();
  std::optional<double> valueOf(const SweepPoint& point) const;
  /// Those within reach, the nearest first.
  std::vector<const SweepPoint*> pointsAt(const QPointF& position) const;
  const SweepPoint* selectedPoint() const;
  void choose(const SweepPoint& point);

  const SessionModel& session_;
  Selection& selection_;
  std::vector<std::string> axes_;
  std::string wanted_;
  Sweep sweep_;
  Quantity quantity_ = Quantity::Busy;
  double unitNs_ = 1'000;
  QCPRange x_;
  QCPRange y_;
  QCPGraph* selected_ = nullptr;
  QPointF pressed_;
  Selected followed_;
  bool stale_ = false;  ///< the runs of the session are others
  WhenSeen seen_;
};

}  // namespace opscope::ui
