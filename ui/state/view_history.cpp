// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/view_history.h"

namespace opscope::ui {

void ViewHistory::record(const View& view, bool sameGesture) {
  if (at_ > 0 && views_[at_ - 1] == view) return;
  if (sameGesture && at_ > 1) {
    views_.resize(at_);
    views_.back() = view;
    return;
  }
  views_.resize(at_);
  views_.push_back(view);
  if (views_.size() > kLongest) views_.erase(views_.begin());
  at_ = views_.size();
}

void ViewHistory::clear() {
  views_.clear();
  at_ = 0;
}

}  // namespace opscope::ui
