// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace opscope::host {

/// The first failure of a device's work, kept for the launch thread: an exception must not leave a worker.
/// Any thread.
class FailureLatch {
 public:
  void set(std::string message);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// Throws DeviceLost when something failed, now and ever after.
  void check() const;

 private:
  std::atomic<bool> failed_ = false;
  mutable std::mutex mutex_;
  std::string message_;
};

}  // namespace opscope::host
