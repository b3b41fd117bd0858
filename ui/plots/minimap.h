// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "state/selection.h"

namespace opscope::ui {

class TimelinePlot;

/// The whole pass on a few lines of pixels: when kernels ran, and which stretch of it the timeline shows. A
/// click goes there.
class Minimap : public QWidget {
  Q_OBJECT
 public:
  Minimap(Selection& selection, TimelinePlot& timeline, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {600, 26}; }
  QSize minimumSizeHint() const override { return {120, 26}; }
  /// The pixels of this widget that the timeline's view covers.
  QRectF viewRect() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void follow();
  void draw();
  QRectF area() const;
  double xOf(Ns at) const;
  void goTo(double x);

  Selection& selection_;
  TimelinePlot& timeline_;
  std::shared_ptr<const PassIndex> index_;
  Interval extent_{0, 1};
  std::vector<float> shares_;  // busy share of each pixel column
};

}  // namespace opscope::ui
