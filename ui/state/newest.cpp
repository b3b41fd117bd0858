// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/newest.h"

#include <utility>

namespace opscope::ui {

void Newest::request(Worker::Task task) {
  if (!worker_) worker_ = std::make_unique<Worker>();
  const std::uint64_t own = ++newest_;
  worker_->post([this, own, task = std::move(task)]() -> std::function<void()> {
    if (own != newest_) return {};
    return [this, own, result = task()] {
      if (own == newest_ && result) result();
    };
  });
}

}  // namespace opscope::ui
