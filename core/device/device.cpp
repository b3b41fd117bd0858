// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"

#include <fmt/format.h>

#include "base/error.h"

namespace opscope {

std::string_view nameOf(L2Mode mode) {
  switch (mode) {
    case L2Mode::Clean:
      return "clean";
    case L2Mode::Zero:
      return "zero";
    case L2Mode::Warm:
      return "warm";
    case L2Mode::Rotate:
      return "rotate";
  }
  return "clean";
}

std::optional<L2Mode> l2ModeFromName(std::string_view name) {
  for (const L2Mode mode : {L2Mode::Clean, L2Mode::Zero, L2Mode::Warm, L2Mode::Rotate})
    if (nameOf(mode) == name) return mode;
  return std::nullopt;
}

std::string_view nameOf(FigureKind kind) {
  switch (kind) {
    case FigureKind::Gpu:
      return "GPU";
    case FigureKind::HostCpu:
      return "host CPU";
    case FigureKind::Simulated:
      return "simulated";
  }
  return "simulated";
}

void Device::checkThread() const {
  if (std::this_thread::get_id() != owner_)
    throw WrongThread(fmt::format("A call to {} came from a thread that is not its launch thread", info_.id),
                      "This is a bug in Opscope: records would lose their iteration.");
}

std::unique_ptr<DeviceMemory> Device::allocate(std::size_t bytes) {
  checkThread();
  return doAllocate(bytes);
}

void Device::copyToDevice(DeviceMemory& to, std::span<const std::byte> from) {
  checkThread();
  if (from.size() > to.bytes())
    throw BadInput(
        fmt::format("{} bytes do not fit into device memory of {} bytes", from.size(), to.bytes()));
  doCopyToDevice(to, from);
}

void Device::copyToHost(std::span<std::byte> to, const DeviceMemory& from) {
  checkThread();
  if (to.size() > from.bytes())
    throw BadInput(fmt::format("{} bytes were asked of device memory of {} bytes", to.size(), from.bytes()));
  doCopyToHost(to, from);
}

void Device::fill(DeviceMemory& memory, std::byte value) {
  checkThread();
  doFill(memory, value);
}

std::optional<std::uint64_t> Device::fingerprint(const DeviceMemory& memory) {
  checkThread();
  return doFingerprint(memory);
}

std::unique_ptr<Call> Device::prepare(const CallSpec& spec) {
  checkThread();
  return doPrepare(spec);
}

void Device::clearCaches(L2Mode mode) {
  checkThread();
  if (mode == L2Mode::Clean || mode == L2Mode::Zero) doClearCaches(mode);
}

void Device::drain() {
  checkThread();
  doDrain();
}

Collector& Device::collector() {
  checkThread();
  return doCollector();
}

bool Device::proveDropCounter() {
  checkThread();
  return doProveDropCounter();
}

std::unique_ptr<DeviceTimer> Device::makeTimer() {
  checkThread();
  return doMakeTimer();
}

Ns Device::now() {
  checkThread();
  return doNow();
}

std::vector<PingMark> Device::pingClock(std::uint32_t times) {
  checkThread();
  return doPingClock(times);
}

std::int64_t Device::rotationBytes() const {
  constexpr std::int64_t kUnknownCache = 256 << 20;
  return info_.l2Bytes > 0 ? 2 * info_.l2Bytes : kUnknownCache;
}

std::unique_ptr<StreamHold> Device::hold(Ns patience) {
  checkThread();
  if (patience <= 0) throw InternalError("A stream was to be held for no time at all");
  return doHold(patience);
}

std::unique_ptr<Call> Device::captureGraph(Call& call, std::uint32_t times) {
  checkThread();
  if (times == 0) throw InternalError("A graph of no call was asked for");
  return doCaptureGraph(call, times);
}

std::unique_ptr<StreamHold> Device::doHold(Ns) {
  throw NotSupported(fmt::format("{} cannot hold its main stream", info_.name));
}

std::unique_ptr<Call> Device::doCaptureGraph(Call&, std::uint32_t) {
  throw NotSupported(fmt::format("{} has no graphs", info_.name));
}

std::vector<DeviceFact> Device::facts() {
  checkThread();
  return doFacts();
}

CounterReading Device::readCounters(Call& call, L2Mode mode, std::uint32_t calls) {
  checkThread();
  if (doCollector().isOpen()) throw InternalError("Counters were asked for while records are collected");
  if (calls == 0) throw BadInput("A counter pass counts at least one call");
  doDrain();
  return doReadCounters(call, mode, calls);
}

CounterReading Device::doReadCounters(Call&, L2Mode, std::uint32_t) {
  throw NotSupported(fmt::format("The {} device has no memory counters", info_.kind),
                     "Measure on a GPU, or without --counters.");
}

}  // namespace opscope
