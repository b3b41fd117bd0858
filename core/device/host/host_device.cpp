// SPDX-License-Identifier: Apache-2.0
#include "device/host/host_device.h"

#include <cstring>

#include "base/error.h"
#include "device/host/cache_clearer.h"
#include "device/host/clock.h"
#include "device/host/collector.h"
#include "device/host/device_info.h"
#include "device/host/hold.h"
#include "device/host/host_call.h"
#include "device/host/launches.h"
#include "device/host/machine.h"
#include "device/host/memory.h"
#include "device/host/streams.h"
#include "device/host/timer.h"

namespace opscope::host {
namespace {

class HostDevice : public Device {
 public:
  HostDevice(const Functions& functions, const Options& options)
      : Device(hostDeviceInfo()),
        functions_(functions),
        clearer_(info_.l2Bytes, options.clearBytes),
        streams_(recorder_, failure_, workerCores()),
        collector_(recorder_, streams_) {}

  std::string l2Label(L2Mode mode) const override { return clearer_.label(mode); }
  bool clearCountsInBudget() const override { return false; }
  std::string whyNoTelemetry() const override { return "the host device has none"; }
  std::int64_t rotationBytes() const override { return clearer_.bufferBytes(); }
  Streams& streams() { return streams_; }

 private:
  std::unique_ptr<DeviceMemory> doAllocate(std::size_t bytes) override {
    return std::make_unique<HostMemory>(bytes, &streams_);
  }

  // Transfers are commands of the main stream like any other, so that a pass which makes one records it.
  void doCopyToDevice(DeviceMemory& to, std::span<const std::byte> from) override {
    transfer(MemopKind::CopyHtoD, to.address(), from.data(), from.size());
  }
  void doCopyToHost(std::span<std::byte> to, const DeviceMemory& from) override {
    transfer(MemopKind::CopyDtoH, to.data(), from.address(), to.size());
  }
  void doFill(DeviceMemory& memory, std::byte value) override {
    streams_.drain();
    if (memory.bytes() == 0) return;
    streams_.memop(MemopKind::Set, static_cast<std::int64_t>(memory.bytes()),
                   [to = memory.address(), bytes = memory.bytes(), value] {
                     std::memset(to, std::to_integer<int>(value), bytes);
                   });
    streams_.drain();
  }

  void transfer(MemopKind kind, void* to, const void* from, std::size_t bytes) {
    streams_.drain();
    if (bytes == 0) return;
    streams_.memop(kind, static_cast<std::int64_t>(bytes), [=] { std::memcpy(to, from, bytes); });
    streams_.drain();
  }

  std::unique_ptr<Call> doPrepare(const CallSpec& spec) override {
    return std::make_unique<HostCall>(*this, streams_, functions_, spec);
  }

  void doClearCaches(L2Mode mode) override { clearer_.clear(streams_, mode); }
  void doDrain() override { streams_.drain(); }
  Collector& doCollector() override { return collector_; }

  bool doProveDropCounter() override {
    if (!recorder_.proven() && seesDropsCounted(collector_, streams_)) recorder_.setProven();
    return recorder_.proven();
  }

  std::unique_ptr<DeviceTimer> doMakeTimer() override {
    return std::make_unique<HostTimer>(*this, streams_, failure_);
  }
  Ns doNow() override { return steadyNow(); }
  std::unique_ptr<StreamHold> doHold(Ns patience) override {
    return std::make_unique<HostHold>(streams_, watchdog_, patience);
  }
  std::unique_ptr<Call> doCaptureGraph(Call&, std::uint32_t) override {
    throw NotSupported("The host device has no graphs");
  }

  const Functions& functions_;
  FailureLatch failure_;
  Recorder recorder_;
  // Before the streams, whose last kernels may still read its buffer while they are being destroyed.
  CacheClearer clearer_;
  Streams streams_;
  HostCollector collector_;
  Watchdog watchdog_;
};

Streams& streamsOf(Device& device) {
  if (auto* host = dynamic_cast<HostDevice*>(&device)) return host->streams();
  throw BadInput(device.info().id + " is no host device", "Launch host kernels on the host device.");
}

}  // namespace

void launch(Device& device, std::string_view name, std::function<void()> kernel, std::uint32_t stream) {
  streamsOf(device).launch(name, std::move(kernel), stream);
}

void copy(Device& device, std::byte* to, const std::byte* from, std::size_t bytes, std::uint32_t stream) {
  streamsOf(device).memop(
      MemopKind::CopyDtoD, static_cast<std::int64_t>(bytes), [=] { std::memmove(to, from, bytes); }, stream);
}

void synchronise(Device& device) {
  streamsOf(device).drain();
}

std::unique_ptr<Device> openHostDevice(const Functions& functions, const Options& options) {
  return std::make_unique<HostDevice>(functions, options);
}

}  // namespace opscope::host
