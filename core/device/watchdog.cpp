// SPDX-License-Identifier: Apache-2.0
#include "device/watchdog.h"

#include "base/error.h"

namespace opscope {

Watchdog::Watchdog() : thread_([this] { loop(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    act_ = nullptr;
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watchdog::arm(Ns patience, std::function<void()> act) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (act_) throw InternalError("A watchdog was armed twice");
    act_ = std::move(act);
    deadline_ = Clock::now() + std::chrono::nanoseconds(patience);
    wake = deadline_ < looksAt_;
  }
  if (wake) wake_.notify_one();
}

bool Watchdog::disarm() {
  const std::lock_guard lock(mutex_);
  const bool inTime = static_cast<bool>(act_);
  act_ = nullptr;
  return inTime;
}

void Watchdog::loop() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (act_ && Clock::now() >= deadline_) {
      act_();
      act_ = nullptr;
    } else if (act_) {
      looksAt_ = deadline_;
      wake_.wait_until(lock, Clock::time_point(looksAt_));
    } else {
      looksAt_ = Clock::time_point::max();
      wake_.wait(lock);
    }
  }
}

}  // namespace opscope
