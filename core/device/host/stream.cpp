// SPDX-License-Identifier: Apache-2.0
#include "device/host/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "device/host/clock.h"

namespace opscope::host {
namespace {

// A sleeping thread takes tens of microseconds to wake, which would read as a gap of the op. So whoever waits
// looks for new work this long before it sleeps; an idle device uses no core.
constexpr Ns kSpin = 20 * kMicrosecond;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class Condition>
bool spinUntil(Ns limit, Condition condition) {
  if (condition()) return true;
  if (limit == 0) return false;
  const Ns end = steadyNow() + limit;
  do {
    for (int i = 0; i < 16; ++i) {
      if (condition()) return true;
      relax();
    }
  } while (steadyNow() < end);
  return false;
}

}  // namespace

Stream::Stream(std::uint32_t id, Recorder& recorder, FailureLatch& failure, const cpu_set_t& cores)
    : id_(id),
      recorder_(recorder),
      failure_(failure),
      spin_(CPU_COUNT(&cores) > 1 ? kSpin : 0),
      worker_([this, cores] { loop(cores); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  worker_.join();
}

std::uint64_t Stream::push(Work work) {
  std::uint64_t ticket = 0;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    work.queued = steadyNow();
    queue_.push_back(std::move(work));
    ticket = pushed_.load(std::memory_order_relaxed) + 1;
    pushed_.store(ticket, std::memory_order_release);
    wake = sleeping_;
  }
  if (wake) wake_.notify_one();
  return ticket;
}

void Stream::waitFor(std::uint64_t ticket) {
  if (spinUntil(spin_, [&] { return isDone(ticket); })) return;
  std::unique_lock lock(mutex_);
  while (!isDone(ticket)) {
    wanted_ = std::min(wanted_, ticket);
    finished_.wait(lock);
  }
}

void Stream::loop(const cpu_set_t& cores) {
  // A new thread inherits the core that the launch thread is pinned to. Where the system refuses, it stays.
  if (CPU_COUNT(&cores) > 0) ::sched_setaffinity(0, sizeof cores, &cores);
  std::uint64_t taken = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (queue_.empty()) {
      if (ending_) return;
      lock.unlock();
      spinUntil(spin_, [&] { return pushed_.load(std::memory_order_acquire) != taken || ending_; });
      lock.lock();
      sleeping_ = true;
      wake_.wait(lock, [&] { return !queue_.empty() || ending_; });
      sleeping_ = false;
      continue;
    }
    Work work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    execute(work);
    // What the kernel captured is gone before anybody learns that it is done.
    work.run = nullptr;
    lock.lock();
    done_.store(++taken, std::memory_order_release);
    // Waking somebody after every kernel costs 2 us, which would read as gaps.
    if (taken >= wanted_) {
      wanted_ = kNobody;
      finished_.notify_all();
    }
  }
}

void Stream::execute(Work& work) {
  if (work.after != nullptr) work.after->waitFor(work.afterTicket);
  if (failure_.failed()) return;
  try {
    const Ns start = steadyNow();
    if (work.run) work.run();
    const Ns end = steadyNow();
    if (work.recorded) record(work, start, end);
  } catch (const std::exception& error) {
    failure_.set(fmt::format("The host kernel \"{}\" failed: {}", work.name, error.what()));
  } catch (...) {
    failure_.set(
        fmt::format("The host kernel \"{}\" failed with an exception of an unknown type", work.name));
  }
}

void Stream::record(const Work& work, Ns start, Ns end) {
  if (work.kind == Work::Kind::Kernel && recorder_.admit(sizeof(KernelRecord)))
    kernels_.push_back({.start = start,
                        .end = end,
                        .queued = work.queued,
                        .correlationId = work.correlationId,
                        .nameId = names_.intern(work.name),
                        .streamId = id_});
  if (work.kind == Work::Kind::Memop && recorder_.admit(sizeof(MemopRecord)))
    memops_.push_back({.start = start,
                       .end = end,
                       .bytes = work.bytes,
                       .correlationId = work.correlationId,
                       .streamId = id_,
                       .kind = work.memop});
}

void Stream::moveRecordsTo(Trace& trace) {
  std::vector<std::uint32_t> nameIds(names_.size());
  for (std::uint32_t i = 0; i < nameIds.size(); ++i) nameIds[i] = trace.names.intern(names_.text(i));
  // A host kernel has no grid and no block: one shape of zeros.
  const std::uint32_t shape = trace.internShape({});
  for (KernelRecord& kernel : kernels_) {
    kernel.nameId = nameIds[kernel.nameId];
    kernel.shapeId = shape;
  }
  trace.kernels.insert(trace.kernels.end(), kernels_.begin(), kernels_.end());
  trace.memops.insert(trace.memops.end(), memops_.begin(), memops_.end());
  forgetRecords();
}

void Stream::forgetRecords() noexcept {
  kernels_.clear();
  memops_.clear();
  names_ = {};
}

void Stream::reserveRecords(std::int64_t budgetBytes) {
  kernels_.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(budgetBytes, 0, 16 << 20)) /
                   (sizeof(LaunchRecord) + sizeof(KernelRecord)));
}

}  // namespace opscope::host
