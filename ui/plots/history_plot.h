// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include "plots/theme.h"
#include "plots/when_seen.h"
#include "state/history.h"
#include "state/selection.h"
#include "state/session_model.h"

namespace opscope::ui {

/// Busy over the runs of a work, the earliest on the left; a bar is p10 to p90, a band what a difference to
/// the reference must exceed to count. A click pins a run as the baseline, and lets go of it again; Left and
/// Right select the runs before and after, Enter pins the selected one.
class HistoryPlot : public QCustomPlot {
  Q_OBJECT
 public:
  HistoryPlot(SessionModel& session, Selection& selection, QWidget* parent = nullptr);

  const History& history() const { return history_; }
  /// The place of a point in pixels of this widget.
  QPointF pixelOf(const HistoryPoint& point) const;
  QSize minimumSizeHint() const override { return {260, 120}; }
  /// Derives what is shown, if that was put off.
  void catchUp() { seen_.catchUp(); }

 Q_SIGNALS:
  /// history() is another.
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
  void drawBand(const PlotTheme& theme);
  void drawLine(const History::Line& line, const PlotTheme& theme);
  void ring(const HistoryPoint& point, const QPen& pen, double size);
  void setRanges();
  void showAll();
  void pin(const HistoryPoint& point);
  const HistoryPoint* pointAt(const QPointF& position) const;
  const HistoryPoint* pointOf(const std::shared_ptr<const Run>& run, std::int32_t implementation) const;
  double placeOf(const HistoryPoint& point) const;

  SessionModel& session_;
  Selection& selection_;
  History history_;
  double unitNs_ = 1'000;
  QCPRange x_;
  QCPRange y_;
  QPointF pressed_;
  Selected followed_;
  bool stale_ = false;  ///< other runs in the session, or another baseline
  WhenSeen seen_;
};

}  // namespace opscope::ui
