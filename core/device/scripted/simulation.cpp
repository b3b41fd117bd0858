// SPDX-License-Identifier: Apache-2.0
#include "device/scripted/simulation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace opscope::scripted {
namespace {

constexpr Ns kStart = kSecond;  // not 0, which in a record means that there is no time
constexpr Ns kLaunch = kMicrosecond;
constexpr Ns kClear = 20 * kMicrosecond;
constexpr Ns kClearStartsAfter = 5 * kMicrosecond;
constexpr Ns kStartAfterRelease = 5 * kMicrosecond;
constexpr Ns kBetweenQueued = kMicrosecond;
constexpr Ns kDrainReturns = kMicrosecond;  // after the device's last work
constexpr std::int64_t kMemopBytes = 4096;
constexpr std::uint32_t kLaunchThread = 1;
constexpr std::uint32_t kOtherThread = 2;

}  // namespace

Simulation::Simulation(Script script) : script_(std::move(script)), host_(kStart), device_(kStart) {}

void Simulation::call() {
  const std::vector<ScriptedKernel> kernels = script_.kernels(calls_++);
  if (kernels.empty()) return;
  const Ns called = host_;
  const double speed = script_.speed ? script_.speed(called) : 1.0;
  if (holding_) return holdBack(kernels, speed);
  const Ns first = std::min_element(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
                     return a.startAfter < b.startAfter;
                   })->startAfter;
  // A device that is still busy lets the whole call wait, as one stream would.
  const Ns wait = std::max<Ns>(0, device_ - (called + first));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const ScriptedKernel& kernel = kernels[i];
    const Ns start = called + kernel.startAfter + wait;
    const Execution when{.launched = called + kernel.issuedAfter,
                         .start = start,
                         .end = start + std::llround(static_cast<double>(kernel.length) * speed)};
    host_ = std::max(now(), when.launched);
    device_ = std::max(device_, when.end);
    // A buffer that is too small loses the last record of every call.
    const bool fits = bufferBytes_ >= script_.needsBufferBytes || i + 1 < kernels.size();
    if (recording_) record(kernel, when, fits);
  }
}

void Simulation::clear() {
  const Ns start = std::max(host_ + kClearStartsAfter, device_);
  const Execution when{.launched = host_ + kLaunch, .start = start, .end = start + kClear};
  host_ = when.launched;
  device_ = when.end;
  ScriptedKernel kernel;
  kernel.name = "clear";
  if (recording_) record(kernel, when, true);
}

void Simulation::hold(Ns patience) {
  holding_ = true;
  holdEnds_ = host_ + patience;
}

bool Simulation::release() {
  if (!holding_) return false;
  const bool inTime = host_ < holdEnds_;
  letGo();
  return inTime;
}

void Simulation::holdBack(const std::vector<ScriptedKernel>& kernels, double speed) {
  const Ns called = host_;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Ns launched = std::max(now(), called + kernels[i].issuedAfter);
    held_.push_back({.kernel = kernels[i],
                     .launched = launched,
                     .speed = speed,
                     .fits = bufferBytes_ >= script_.needsBufferBytes || i + 1 < kernels.size(),
                     .recorded = recording_,
                     .ids = ids_});
    host_ = launched;
    if (kernels[i].synchronise) drain();
  }
  if (!holding_) letGo();  // patience ended in the middle of the call
}

void Simulation::letGo() {
  holding_ = false;
  const Ns from = reached() + kStartAfterRelease;
  std::map<std::uint32_t, Ns> streamFree;
  for (const Held& held : std::exchange(held_, {})) {
    const auto [free, first] = streamFree.try_emplace(held.kernel.stream, from);
    const Ns start = first ? from : free->second + kBetweenQueued;
    const Ns end = start + std::llround(static_cast<double>(held.kernel.length) * held.speed);
    free->second = end;
    device_ = std::max(device_, end);
    if (!held.recorded) continue;
    // A record carries the ids that were pushed when the kernel was launched.
    const auto now = std::exchange(ids_, held.ids);
    record(held.kernel, {.launched = held.launched, .start = start, .end = end}, held.fits);
    ids_ = now;
  }
}

void Simulation::drain() {
  if (holding_) {
    // Nobody else lets go while the only host thread waits.
    host_ = std::max(now(), holdEnds_);
    letGo();
  }
  host_ = reached() + kDrainReturns;
}

void Simulation::openRecords(std::int64_t bufferBytes) {
  trace_ = Trace{};
  trace_.dropped.proven = script_.dropCounterWorks;
  bufferBytes_ = bufferBytes;
  ids_.clear();
  recording_ = true;
}

Trace Simulation::closeRecords() {
  recording_ = false;
  ids_.clear();
  return std::exchange(trace_, Trace{});
}

void Simulation::pop() {
  if (!ids_.empty()) ids_.pop_back();
}

void Simulation::record(const ScriptedKernel& kernel, const Execution& when, bool fits) {
  const std::uint32_t correlationId = correlation_++;
  recordLaunch(kernel, when.launched, correlationId);
  if (kernel.lost) {
    if (!kernel.uncounted) countDrop();
    return;
  }
  if (!fits) return countDrop();
  const Ns start = kernel.zeroTimestamps ? 0 : when.start;
  const Ns end = kernel.zeroTimestamps ? 0 : when.end;
  if (kernel.memop)
    trace_.memops.push_back({.start = start,
                             .end = end,
                             .bytes = kMemopBytes,
                             .correlationId = correlationId,
                             .streamId = kernel.stream,
                             .kind = MemopKind::CopyDtoD});
  else
    trace_.kernels.push_back(
        {.start = start,
         .end = end,
         .queued = when.launched,
         .correlationId = correlationId,
         .nameId = trace_.names.intern(kernel.name),
         .shapeId = trace_.internShape(
             {.gridX = 1, .gridY = 1, .gridZ = 1, .blockX = 128, .blockY = 1, .blockZ = 1}),
         .streamId = kernel.stream});
}

void Simulation::recordLaunch(const ScriptedKernel& kernel, Ns launched, std::uint32_t correlationId) {
  trace_.launches.push_back(
      {.start = launched - kLaunch,
       .end = launched,
       .correlationId = correlationId,
       .threadId = kernel.offThread ? kOtherThread : kLaunchThread,
       .apiNameId = trace_.names.intern(kernel.memop ? "scripted copy" : "scripted launch"),
       .kind = kernel.memop ? LaunchKind::Copy : LaunchKind::Kernel});
  if (!kernel.offThread && !ids_.empty())
    trace_.externalIds.push_back({.externalId = ids_.back(), .correlationId = correlationId});
}

void Simulation::countDrop() {
  if (script_.dropCounterWorks) ++trace_.dropped.records;
}

}  // namespace opscope::scripted
