// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/ns.h"

namespace opscope {

/// Does one thing on a thread of its own unless it is called off in time. Its thread sleeps while nothing is
/// to be watched, and starts with the watchdog: one that is made before a thread is pinned, or whose threads
/// are moved off the pinned core, never takes that core's time.
class Watchdog {
 public:
  Watchdog();
  ~Watchdog();  ///< what is armed is called off
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// `act` runs once `patience` has passed, unless disarm() comes first. It must not call the watchdog. One
  /// at a time: throws InternalError when armed.
  void arm(Ns patience, std::function<void()> act);
  /// True when that was in time; false when `act` has run, or nothing was armed.
  bool disarm();

 private:
  using Clock = std::chrono::steady_clock;
  void loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::function<void()> act_;  // empty while nothing is watched
  Clock::time_point deadline_;
  // When the thread looks again by itself. It is not woken for what comes later: waking costs the one who
  // arms some microseconds, in every iteration.
  Clock::time_point looksAt_ = Clock::time_point::max();
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace opscope
