// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace opscope::ui {

/// What a timeline shows: one iteration of one pass, and the stretch of it in view (ns from its origin).
struct View {
  std::int32_t pass = -1;
  std::int32_t iteration = -1;
  double start = 0;
  double end = 0;
  int mode = 0;  ///< the timeline's mode
  bool operator==(const View&) const = default;
};

/// Back and forward through views, as a browser does. Small steps of one gesture (a spin of the wheel) count
/// as one.
class ViewHistory {
 public:
  static constexpr std::size_t kLongest = 256;

  /// The view is now this one. With `sameGesture` it replaces the newest entry.
  void record(const View& view, bool sameGesture = false);
  bool canGoBack() const { return at_ > 1; }
  bool canGoForward() const { return at_ < views_.size(); }
  /// Call only when possible.
  const View& back() { return views_[--at_ - 1]; }
  const View& forward() { return views_[at_++]; }
  void clear();

 private:
  std::vector<View> views_;
  std::size_t at_ = 0;  // one past the current view
};

}  // namespace opscope::ui
