// SPDX-License-Identifier: Apache-2.0
#include "device/host/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace opscope::host {
namespace {

struct PushedId {
  std::uint64_t recorder;
  std::uint64_t id;
};
thread_local std::vector<PushedId> pushedIds;

std::uint64_t nextSerial() {
  static std::atomic<std::uint64_t> serial = 1;
  return serial.fetch_add(1, std::memory_order_relaxed);
}

std::string_view apiName(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::Copy:
      return "host copy";
    case LaunchKind::Set:
      return "host fill";
    default:
      return "host launch";
  }
}

}  // namespace

Recorder::Recorder() : serial_(nextSerial()) {}

std::uint32_t Recorder::thisThread() {
  thread_local const auto id = static_cast<std::uint32_t>(::gettid());
  return id;
}

void Recorder::open(std::int64_t budgetBytes) {
  const std::lock_guard lock(mutex_);
  forgetIds();
  trace_ = Trace{};
  left_ = budgetBytes;
  dropped_ = 0;
  // Reserved up to a bound, so that the first launches of a pass do not pay for growing.
  const auto expected = static_cast<std::size_t>(std::clamp<std::int64_t>(budgetBytes, 0, 16 << 20));
  trace_.launches.reserve(expected / (sizeof(LaunchRecord) + sizeof(KernelRecord)));
  trace_.externalIds.reserve(expected / (sizeof(LaunchRecord) + sizeof(KernelRecord)));
  open_.store(true, std::memory_order_release);
}

Trace Recorder::close() {
  const std::lock_guard lock(mutex_);
  open_.store(false, std::memory_order_release);
  forgetIds();
  trace_.dropped = {.proven = proven_, .records = dropped_.load()};
  return std::exchange(trace_, Trace{});
}

void Recorder::push(std::uint64_t externalId) {
  pushedIds.push_back({serial_, externalId});
}

void Recorder::pop() {
  const auto mine = std::find_if(pushedIds.rbegin(), pushedIds.rend(),
                                 [this](const PushedId& pushed) { return pushed.recorder == serial_; });
  if (mine != pushedIds.rend()) pushedIds.erase(std::next(mine).base());
}

void Recorder::forgetIds() {
  std::erase_if(pushedIds, [this](const PushedId& pushed) { return pushed.recorder == serial_; });
}

void Recorder::launched(LaunchKind kind, std::uint32_t correlationId, Ns start, Ns end) {
  const auto mine = std::find_if(pushedIds.rbegin(), pushedIds.rend(),
                                 [this](const PushedId& pushed) { return pushed.recorder == serial_; });
  const std::lock_guard lock(mutex_);
  if (mine != pushedIds.rend() && admit(sizeof(ExternalIdRecord)))
    trace_.externalIds.push_back({.externalId = mine->id, .correlationId = correlationId});
  if (admit(sizeof(LaunchRecord)))
    trace_.launches.push_back({.start = start,
                               .end = end,
                               .correlationId = correlationId,
                               .threadId = thisThread(),
                               .apiNameId = trace_.names.intern(apiName(kind)),
                               .kind = kind});
}

bool Recorder::admit(std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  std::int64_t left = left_.load(std::memory_order_relaxed);
  do {
    if (left < size) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  } while (!left_.compare_exchange_weak(left, left - size, std::memory_order_relaxed));
  return true;
}

}  // namespace opscope::host
