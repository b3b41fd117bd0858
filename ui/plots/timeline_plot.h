// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>
#include <memory>
#include <optional>

#include "base/format.h"
#include "plots/theme.h"
#include "state/lane_layout.h"
#include "state/selection.h"
#include "state/time_transform.h"
#include "state/view_history.h"

namespace opscope::ui {

class IntervalPlottable;
class TimelineOverlay;
class TimeTicker;

/// One iteration as lanes over time: host, BUSY, gaps, streams, copies. Follows the selection and makes it.
/// Zoom and pan are of this view alone and are remembered in its history.
class TimelinePlot : public QCustomPlot {
  Q_OBJECT
 public:
  explicit TimelinePlot(Selection& selection, QWidget* parent = nullptr);
  ~TimelinePlot() override;

  const TimeTransform& transform() const { return transform_; }
  const IterationLanes& lanes() const { return lanes_; }
  TimeUnit unit() const;
  /// The lane's middle in pixels of this widget: where a hand would click.
  double laneCentre(std::size_t lane) const;
  /// Height at which every lane has its natural size.
  int naturalHeight() const;

  QSize sizeHint() const override { return {800, naturalHeight()}; }
  QSize minimumSizeHint() const override { return {320, naturalHeight()}; }

 public Q_SLOTS:
  void fitAll();
  void frameSelection();
  void goBack();
  void goForward();
  void zoomBy(double factor);  ///< at the cursor when it is inside, else in the middle
  void panBy(double viewShare);
  void selectLargestGap();
  void stepGap(int direction);
  void selectLaunch();
  void selectKernel();
  void stepKernel(int direction);
  void stepIteration(int direction);

 Q_SIGNALS:
  /// The time under the mouse, from the iteration's first kernel; NaN when it left.
  void hovered(double ns);
  void viewChanged();

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Hit {
    std::size_t lane = 0;
    std::size_t item = 0;
  };
  struct Drag {
    Qt::MouseButton button = Qt::NoButton;
    QPointF from;
    double startNs = 0;
    bool moved = false;
  };

  void follow(const Selected& now, const Selected& before);
  void rebuild();
  void applyLooks();
  void applyView(bool record, bool sameGesture = false);
  void restoreView(const View& view);
  void placeRows();
  void updateOverlay();
  void repaintOverlay();
  std::optional<Hit> hitAt(const QPointF& position) const;
  std::optional<std::size_t> laneAt(double y) const;
  double snapped(double ns, const QPointF& position) const;
  SelectedItem itemOf(const Hit& hit) const;
  std::optional<Hit> find(const SelectedItem& item) const;
  QString tooltipOf(const Hit& hit) const;
  QString laneTitle(std::size_t lane) const;
  void frame(double start, double end);

  Selection& selection_;
  std::shared_ptr<const PassIndex> index_;
  IterationLanes lanes_;
  TimeTransform transform_;
  ViewHistory history_;
  PlotTheme theme_;
  IntervalPlottable* bars_ = nullptr;
  TimelineOverlay* overlay_ = nullptr;
  QSharedPointer<TimeTicker> ticker_;
  QSharedPointer<QCPAxisTickerText> titles_;
  Drag drag_;
  std::optional<Hit> hoveredHit_;
};

}  // namespace opscope::ui
