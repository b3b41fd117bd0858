// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>
#include <memory>
#include <optional>

#include "base/format.h"
#include "plots/theme.h"
#include "plots/timeline_rows.h"
#include "state/kernel_filter.h"
#include "state/lane_layout.h"
#include "state/newest.h"
#include "state/overlay.h"
#include "state/selection.h"
#include "state/time_transform.h"
#include "state/view_history.h"

namespace opscope::ui {

class IntervalPlottable;
class TimelineOverlay;
class TimeTicker;

/// Lanes over time: host, BUSY, gaps, streams, copies; of one iteration, of one over all others, or of a
/// whole pass. Follows the selection and makes it. Zoom and pan are of this view alone and are remembered in
/// its history. What costs as much as the records are many is laid out in the background; meanwhile there are
/// no lanes.
class TimelinePlot : public QCustomPlot {
  Q_OBJECT
 public:
  explicit TimelinePlot(Selection& selection, QWidget* parent = nullptr);
  ~TimelinePlot() override;

  const TimeTransform& transform() const { return transform_; }
  const IterationLanes& lanes() const { return lanes_; }
  TimeUnit unit() const;
  TimelineMode mode() const { return mode_; }
  /// Something is being laid out in the background.
  bool isBusy() const;
  const KernelFilter& filter() const { return filter_; }
  /// Kernels that fit the filter, in the order they ran.
  const std::vector<std::uint32_t>& matches() const { return matches_; }
  /// The place of the selected kernel among the matches; -1 when it is none of them.
  int matchOfSelected() const;
  /// The rulers, in ns from the origin.
  std::optional<double> rulerA() const;
  std::optional<double> rulerB() const;
  /// The lane's middle in pixels of this widget: where a hand would click.
  double laneCentre(std::size_t lane) const;
  /// Height at which every lane has its natural size.
  int naturalHeight() const;

  QSize sizeHint() const override { return {800, naturalHeight()}; }
  QSize minimumSizeHint() const override { return {320, naturalHeight()}; }

  void setFilter(KernelFilter filter);

 public Q_SLOTS:
  void setMode(TimelineMode mode);
  void stepMatch(int direction);
  void clearRulers();
  /// Moves the view, keeping its span, so that it begins here. In ns from the origin.
  void showFrom(double start);
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
  void modeChanged(opscope::ui::TimelineMode mode);
  void filterChanged();
  /// Its code is asked for: a kernel's base name.
  void sourceRequested(const QString& kernel);

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

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
  struct Laid;
  void rebuild();
  void adopt(Laid laid);
  void showLoading();
  RowStyle style() const;
  void applyLooks();
  void setRows(TimelineRows rows);
  void restyle();
  void findMatches();
  void scrollTo(double start, double end);
  std::int32_t iterationOf(const SelectedItem& item) const;
  void setRuler(const QPointF& position, bool snap);
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
  TimelineMode mode_ = TimelineMode::Iteration;
  KernelFilter filter_;
  std::vector<std::uint32_t> matches_;
  /// Kept while the implementation stays: only the iteration in front changes.
  std::shared_ptr<const OverlayBlurs> blurs_;
  std::pair<const Run*, std::int32_t> blursOf_{nullptr, -1};
  Newest layingOut_;
  bool loading_ = false;
};

}  // namespace opscope::ui
