// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/time_transform.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {

void TimeTransform::setPixels(double left, double width) {
  left_ = left;
  width_ = std::max(1.0, width);
}

void TimeTransform::setBounds(Interval bounds) {
  bounds_ = bounds;
  bounds_.end = std::max(bounds_.end, bounds_.start + static_cast<Ns>(kSmallestSpan));
  clamp();
}

void TimeTransform::show(double start, double end) {
  if (!(end > start)) end = start;
  const double wanted = end - start;
  span_ = wanted;
  start_ = start;
  if (span_ < kSmallestSpan) {
    start_ -= (kSmallestSpan - span_) / 2;
    span_ = kSmallestSpan;
  }
  clamp();
}

void TimeTransform::zoomAt(double x, double factor) {
  const double fixed = nsAt(x);
  const double most = static_cast<double>(bounds_.length());
  span_ = std::clamp(span_ * factor, kSmallestSpan, std::max(kSmallestSpan, most));
  start_ = fixed - (x - left_) / width_ * span_;
  clamp();
}

void TimeTransform::panPixels(double dx) {
  start_ += dx * nsPerPixel();
  clamp();
}

Ns TimeTransform::timeAt(double x) const {
  return std::llround(nsAt(x));
}

void TimeTransform::clamp() {
  const double most = static_cast<double>(bounds_.length());
  span_ = std::clamp(span_, kSmallestSpan, std::max(kSmallestSpan, most));
  start_ = std::clamp(start_, static_cast<double>(bounds_.start), static_cast<double>(bounds_.end) - span_);
}

}  // namespace opscope::ui
