// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trace/intervals.h"

namespace opscope::ui {

/// The one mapping between pixels and time: a value, no widget. Times are ns relative to the view's origin
/// (an integer instant that the owner keeps); only what lies between two pixels is fractional. The view never
/// leaves its bounds and never shows less than kSmallestSpan.
class TimeTransform {
 public:
  static constexpr double kSmallestSpan = 8;

  void setPixels(double left, double width);
  void setBounds(Interval bounds);
  void show(double start, double end);
  void fit() { show(static_cast<double>(bounds_.start), static_cast<double>(bounds_.end)); }
  /// Shows `factor` times the span, with the time under pixel `x` staying there (bounds permitting).
  void zoomAt(double x, double factor);
  void panPixels(double dx);

  double start() const { return start_; }
  double end() const { return start_ + span_; }
  double span() const { return span_; }
  double left() const { return left_; }
  double width() const { return width_; }
  Interval bounds() const { return bounds_; }
  double nsPerPixel() const { return span_ / width_; }
  double xOf(double ns) const { return left_ + (ns - start_) / span_ * width_; }
  double nsAt(double x) const { return start_ + (x - left_) / width_ * span_; }
  Ns timeAt(double x) const;
  bool operator==(const TimeTransform&) const = default;

 private:
  void clamp();

  double left_ = 0;
  double width_ = 1;
  double start_ = 0;
  double span_ = 1'000;
  Interval bounds_{0, 1'000};
};

}  // namespace opscope::ui
