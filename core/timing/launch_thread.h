// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace opscope {

/// The one thread that owns the device and launches everything, pinned to one core near it. Work is posted to
/// it and runs in order. Destroying it asks the work in flight to stop and waits for it.
class LaunchThread {
 public:
  LaunchThread();
  ~LaunchThread();
  LaunchThread(const LaunchThread&) = delete;
  LaunchThread& operator=(const LaunchThread&) = delete;

  /// Any thread. `work` gets a token that stop() and the destructor trip.
  std::future<void> post(std::function<void(std::stop_token)> work);
  /// Any thread: asks the work in flight, and whatever is posted before this returns, to stop.
  void stop();

 private:
  void loop(std::stop_token ending);

  struct Item {
    std::packaged_task<void(std::stop_token)> task;
    std::stop_source stop;
  };
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Item> items_;
  std::stop_source running_;
  std::jthread thread_;
};

/// Pins the calling thread to one core: the quickest of those of `preferred` that it may use, or of all it
/// may use, tried out in some 10 ms. Returns the core, or -1 when the system refuses (said in the log, and in
/// the environment of a run).
int pinThisThread(const std::vector<int>& preferred);

/// Moves every other thread of this process off a core, as far as the system allows: threads that drivers
/// started from the pinned thread inherited its core, and a window must not draw on it. Does nothing on a
/// machine with one core.
void keepOtherThreadsOff(int core);

}  // namespace opscope
