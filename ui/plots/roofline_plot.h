// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <optional>

#include "plots/theme.h"
#include "plots/when_seen.h"
#include "state/roofline.h"
#include "state/selection.h"
#include "state/session_model.h"

namespace opscope::ui {

/// The measured ceilings as lines and the implementations as points, on logarithmic axes. The points of other
/// runs under the same roof are fainter. A click or the arrow keys select, the wheel zooms, a drag pans, a
/// double click shows all.
class RooflinePlot : public QCustomPlot {
  Q_OBJECT
 public:
  RooflinePlot(const SessionModel& session, Selection& selection, QWidget* parent = nullptr);

  const Roofline& roofline() const { return roofline_; }
  /// The place of a point in pixels of this widget.
  QPointF pixelOf(const RooflinePoint& point) const;
  QSize minimumSizeHint() const override { return {260, 120}; }
  /// Derives what is shown, if that was put off.
  void catchUp() { seen_.catchUp(); }

 Q_SIGNALS:
  /// roofline() is another.
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
  void rebuild();
  void drawRoof(const PlotTheme& theme);
  void drawPoints(const PlotTheme& theme);
  void say(const QString& words, double x, double y, Qt::Alignment side, const QColor& colour);
  void showSelected();
  void showAll();
  void choose(const RooflinePoint& point);
  const RooflinePoint* pointAt(const QPointF& position) const;
  const RooflinePoint* selectedPoint() const;
  double scale() const;

  const SessionModel& session_;
  Selection& selection_;
  Roofline roofline_;
  RooflineRange range_;
  QCPGraph* selected_ = nullptr;
  QPointF pressed_;
  Selected followed_;
  bool stale_ = false;  ///< the runs of the session are others
  WhenSeen seen_;
};

}  // namespace opscope::ui
