// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/host/failure.h"
#include "device/host/recorder.h"
#include "trace/trace.h"

namespace opscope::host {

class Stream;

/// One command in a stream's queue.
struct Work {
  enum class Kind : std::uint8_t {
    Kernel,
    Memop,
    Marker,  ///< leaves no record: events and joins
  } kind = Kind::Marker;
  std::string name;
  std::function<void()> run;
  // What a memop moves.
  MemopKind memop = MemopKind::Other;
  std::int64_t bytes = 0;
  // Filled in by whoever submits.
  bool recorded = false;
  std::uint32_t correlationId = 0;
  Ns queued = 0;
  /// Not before `after` has finished its work up to this ticket. Null: at once.
  Stream* after = nullptr;
  std::uint64_t afterTicket = 0;
};

/// A worker thread that runs commands in the order in which they were queued, and records when. Any thread
/// may push and wait.
class Stream {
 public:
  /// `cores`: where the worker may run; with fewer than two, nobody waits by spinning.
  Stream(std::uint32_t id, Recorder& recorder, FailureLatch& failure, const cpu_set_t& cores);
  /// Finishes what is queued.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Queues and returns at once, with the ticket to wait for. Tickets count from 1.
  std::uint64_t push(Work work);
  std::uint64_t lastTicket() const { return pushed_.load(std::memory_order_acquire); }
  bool isDone(std::uint64_t ticket) const { return done_.load(std::memory_order_acquire) >= ticket; }
  void waitFor(std::uint64_t ticket);

  /// What was recorded since the last call, added to `trace`; on the launch thread, with no work in flight.
  void moveRecordsTo(Trace& trace);
  void forgetRecords() noexcept;
  /// Room for a pass's records; on the launch thread, with no work in flight.
  void reserveRecords(std::int64_t budgetBytes);

 private:
  void loop(const cpu_set_t& cores);
  void execute(Work& work);
  void record(const Work& work, Ns start, Ns end);

  const std::uint32_t id_;
  Recorder& recorder_;
  FailureLatch& failure_;
  const Ns spin_;

  std::mutex mutex_;
  std::condition_variable wake_;      // for the worker
  std::condition_variable finished_;  // for those who wait
  std::deque<Work> queue_;
  std::atomic<std::uint64_t> pushed_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  std::uint64_t wanted_ = kNobody;  // the first ticket that somebody sleeps for
  bool sleeping_ = false;
  std::atomic<bool> ending_ = false;

  // The worker's alone while work is in flight, the launch thread's while none is.
  std::vector<KernelRecord> kernels_;
  std::vector<MemopRecord> memops_;
  StringTable names_;

  std::thread worker_;  // last: it uses all of the above
};

}  // namespace opscope::host
