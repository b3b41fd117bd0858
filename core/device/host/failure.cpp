// SPDX-License-Identifier: Apache-2.0
#include "device/host/failure.h"

#include "base/error.h"

namespace opscope::host {

void FailureLatch::set(std::string message) {
  const std::lock_guard lock(mutex_);
  if (failed()) return;
  message_ = std::move(message);
  failed_.store(true, std::memory_order_release);
}

void FailureLatch::check() const {
  if (!failed()) return;
  const std::lock_guard lock(mutex_);
  throw DeviceLost(message_, "Correct the implementation, or leave it out; then measure again.");
}

}  // namespace opscope::host
