// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace opscope::cli {

/// Turns SIGINT and SIGTERM into a call on a thread of its own, where an engine may be told to stop (a signal
/// handler may do next to nothing). The second one ends the program at once, with exit code 130. Make it
/// before any other thread starts: they inherit the mask that keeps the signals away from them, the launch
/// thread's iterations included.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// What to do on the first signal, from now on; an empty function for nothing. Any thread.
  void setAction(std::function<void()> action);
  bool requested() const { return requested_; }

 private:
  void watch();

  sigset_t before_{};
  sigset_t signals_{};
  std::atomic<bool> requested_ = false;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  std::function<void()> action_;
  std::thread thread_;
};

}  // namespace opscope::cli
