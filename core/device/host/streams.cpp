// SPDX-License-Identifier: Apache-2.0
#include "device/host/streams.h"

#include <fmt/format.h>

#include "base/error.h"
#include "device/host/clock.h"

namespace opscope::host {

Streams::Streams(Recorder& recorder, FailureLatch& failure, const cpu_set_t& cores)
    : recorder_(recorder), failure_(failure), cores_(cores) {
  at(0);
}

Streams::~Streams() {
  // All at once, before any of them goes: streams wait for each other.
  waitIdle();
}

Stream& Streams::at(std::uint32_t stream) {
  if (stream >= kMost)
    throw BadInput(
        fmt::format("Stream {} does not exist: the host device has streams 0 to {}", stream, kMost - 1));
  if (Stream* started = started_[stream].load(std::memory_order_acquire)) return *started;
  const std::lock_guard lock(starting_);
  if (streams_[stream] == nullptr) {
    streams_[stream] = std::make_unique<Stream>(stream, recorder_, failure_, cores_);
    started_[stream].store(streams_[stream].get(), std::memory_order_release);
  }
  return *streams_[stream];
}

void Streams::launch(std::string_view name, std::function<void()> kernel, std::uint32_t stream,
                     std::uint64_t mainTicket) {
  if (!kernel) throw BadInput(fmt::format("The host kernel \"{}\" has no function", name));
  issue(LaunchKind::Kernel, {.kind = Work::Kind::Kernel, .name = std::string(name), .run = std::move(kernel)},
        stream, mainTicket);
}

void Streams::memop(MemopKind kind, std::int64_t bytes, std::function<void()> run, std::uint32_t stream,
                    std::uint64_t mainTicket) {
  issue(kind == MemopKind::Set ? LaunchKind::Set : LaunchKind::Copy,
        {.kind = Work::Kind::Memop, .name = "copy", .run = std::move(run), .memop = kind, .bytes = bytes},
        stream, mainTicket);
}

void Streams::issue(LaunchKind kind, Work work, std::uint32_t stream, std::uint64_t mainTicket) {
  const Ns start = steadyNow();
  failure_.check();
  Stream& queue = at(stream);
  const std::uint32_t correlationId = recorder_.nextCorrelationId();
  const bool recorded = recorder_.isOpen();
  work.correlationId = correlationId;
  work.recorded = recorded;
  if (stream != 0) {
    work.after = &main();
    work.afterTicket = mainTicket;
  }
  queue.push(std::move(work));
  const Ns end = steadyNow();
  if (recorded) recorder_.launched(kind, correlationId, start, end);
}

void Streams::join() {
  forEach([this](Stream& stream) {
    const std::uint64_t ticket = stream.lastTicket();
    if (&stream != &main() && !stream.isDone(ticket))
      main().push({.kind = Work::Kind::Marker, .name = "join", .after = &stream, .afterTicket = ticket});
  });
}

void Streams::waitIdle() {
  forEach([](Stream& stream) { stream.waitFor(stream.lastTicket()); });
}

void Streams::drain() {
  waitIdle();
  failure_.check();
}

void Streams::moveRecordsTo(Trace& trace) {
  forEach([&](Stream& stream) { stream.moveRecordsTo(trace); });
}

void Streams::forgetRecords() noexcept {
  forEach([](Stream& stream) { stream.forgetRecords(); });
}

void Streams::reserveRecords(std::int64_t budgetBytes) {
  forEach([&](Stream& stream) { stream.reserveRecords(budgetBytes); });
}

}  // namespace opscope::host
