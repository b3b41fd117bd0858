// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "trace/trace.h"

namespace opscope::host {

/// The host's half of what a pass records (launches and external ids), and the budget that bounds the records
/// of both halves. A record that does not fit is dropped and counted, as a GPU's instrument does when its
/// buffer is full.
class Recorder {
 public:
  Recorder();

  /// On the launch thread, with no work in flight. `budgetBytes` bounds the sum of sizeof over all records.
  void open(std::int64_t budgetBytes);
  /// Stops, and hands over launches, ids, their names and the count of dropped records.
  Trace close();
  bool isOpen() const { return open_.load(std::memory_order_acquire); }

  // The id stack is the calling thread's own: what another thread launches carries none of these ids.
  void push(std::uint64_t externalId);
  void pop();  ///< nothing to pop is no error: the kernels that follow simply carry no id
  void forgetIds();

  std::uint32_t nextCorrelationId() { return correlation_.fetch_add(1, std::memory_order_relaxed); }
  /// Any thread: a launch that this thread made, from `start` to `end`.
  void launched(LaunchKind kind, std::uint32_t correlationId, Ns start, Ns end);
  /// Any thread: takes a record's bytes from the budget; counts it as dropped and says no when they do not
  /// fit.
  bool admit(std::size_t bytes);

  /// The calling thread, as records name it.
  static std::uint32_t thisThread();

  bool proven() const { return proven_; }
  void setProven() { proven_ = true; }

 private:
  const std::uint64_t serial_;  // tells this recorder's ids from another's on a thread's stack
  std::atomic<bool> open_ = false;
  std::atomic<std::uint32_t> correlation_ = 1;
  std::atomic<std::int64_t> left_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  bool proven_ = false;
  std::mutex mutex_;  // guards trace_
  Trace trace_;
};

}  // namespace opscope::host
