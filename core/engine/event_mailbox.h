// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "engine/engine.h"

namespace opscope {

/// Where an engine's events wait for a thread that has a loop of its own, as a window's has: whoever puts
/// something there wakes that thread, which comes and takes it. Events keep their order and none is lost; of
/// progress only the newest waits, and it wakes nobody more often than kProgressInterval, so that a window
/// that shows it does not disturb what is being timed. Any thread may put; one takes.
class EventMailbox {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kProgressInterval{100};

  /// `wake`: brings the taking thread to take(). Called by the thread that puts, once until that has
  /// happened, and not after close(): it must neither block nor use this mailbox.
  explicit EventMailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void put(const EngineEvent& event, Clock::time_point now = Clock::now());

  struct Delivery {
    std::optional<JobProgress> progress;
    std::optional<EngineEvent> event;
    bool more = false;  ///< come again: nobody will wake you for what waits
  };
  /// One event at most: passes that ended together are not one long turn of the taking thread's loop.
  Delivery take();

  /// When this returns, `wake` is not being called and will not be. What waits can still be taken.
  void close();

 private:
  bool isWorthWaking(const Progress& progress, Clock::time_point now);

  std::mutex mutex_;
  std::function<void()> wake_;
  std::deque<EngineEvent> events_;
  std::optional<JobProgress> progress_;
  std::optional<Clock::time_point> lastWakingProgress_;
  Progress lastShown_;
  bool woken_ = false;
};

}  // namespace opscope
