// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>
#include <optional>

#include "plots/theme.h"
#include "plots/when_seen.h"
#include "state/drift.h"
#include "state/selection.h"

namespace opscope::ui {

/// Busy of every iteration against wall time, pass medians over it, and below, where the device has sensors,
/// SM clock, temperature and power on the same axis. Relative to each implementation's own median, or in
/// time. A click selects an iteration, the wheel zooms, a double click shows all.
class DriftPlot : public QCustomPlot {
  Q_OBJECT
 public:
  explicit DriftPlot(Selection& selection, QWidget* parent = nullptr);

  bool isRelative() const { return relative_; }
  void setRelative(bool relative);
  const Drift& drift() const { return drift_; }
  /// The place of an iteration in pixels of this widget; nothing when it has no number.
  std::optional<QPointF> pixelOf(IterationRef iteration) const;
  QSize minimumSizeHint() const override { return {320, 120}; }

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent*) override {}
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void follow();
  void rebuild();
  void addSensors(const PlotTheme& theme);
  /// Where the clocks were held down, at the upper edge, with the reasons in words.
  void addThrottleMarks(QCPAxisRect* rect, const PlotTheme& theme);
  QCPAxisRect* addSensorRect();
  /// The unit alone stands where the height does not take the whole title.
  void setTitle(QCPAxis* axis, const QString& whole, const QString& unit);
  void fitTitles();
  void addReadings(QCPAxis* values, std::optional<int> TelemetrySample::* field, double scale,
                   const QColor& colour);
  void showSelected();
  void showAll();
  double valueOf(const DriftPoint& point, std::uint32_t implementation) const;
  const DriftPoint* pointAt(const QPointF& position) const;

  struct Title {
    QCPAxis* axis;
    QString whole;
    QString unit;
  };

  Selection& selection_;
  std::vector<Title> titles_;
  Drift drift_;
  std::vector<double> medians_;  // by implementation
  bool relative_ = true;
  double unitNs_ = 1'000;
  QCPGraph* selected_ = nullptr;
  Selected followed_;
  WhenSeen seen_;
};

}  // namespace opscope::ui
