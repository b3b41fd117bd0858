// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cuda/clock_ping.h"
#include "cuda/cuda_context.h"
#include "cuda/cuda_telemetry.h"
#include "cuda/cupti_collector.h"
#include "cuda/fingerprint.h"
#include "cuda/l2_clear.h"
#include "cuda/nvml.h"
#include "cuda/range_profiler.h"
#include "cuda/stream_gate.h"
#include "device/device.h"
#include "device/stream_adopter.h"

namespace opscope::cuda {

/// What is known of GPU `ordinal` without using it. Throws DeviceUnavailable.
DeviceInfo describeGpu(int ordinal, const std::string& driverVersion);

/// An NVIDIA GPU, recorded by CUPTI. Usable without CUPTI, NVRTC or NVML as far as each is not needed.
class CudaDevice final : public Device, public StreamAdopter {
 public:
  /// Takes the GPU for the calling thread, compiles what clearing L2 needs and watches a few kernels to learn
  /// the step of the timestamps. Throws DeviceUnavailable, DeviceLost, OutOfMemory.
  explicit CudaDevice(int ordinal);
  ~CudaDevice() override;

  std::string l2Label(L2Mode mode) const override { return std::string(nameOf(mode)); }
  TelemetrySource* telemetrySource() override { return nvml_.chosen() ? &telemetry_ : nullptr; }
  std::string whyNoTelemetry() const override;
  void adoptStream(std::optional<std::uintptr_t> stream) override;
  void* mainStream() override { return context_.main(); }

 private:
  std::unique_ptr<DeviceMemory> doAllocate(std::size_t bytes) override;
  void doCopyToDevice(DeviceMemory& to, std::span<const std::byte> from) override;
  void doCopyToHost(std::span<std::byte> to, const DeviceMemory& from) override;
  void doFill(DeviceMemory& memory, std::byte value) override;
  std::optional<std::uint64_t> doFingerprint(const DeviceMemory& memory) override {
    return fingerprint_.of(memory);
  }
  std::unique_ptr<Call> doPrepare(const CallSpec& spec) override;
  void doClearCaches(L2Mode mode) override;
  void doDrain() override;
  Collector& doCollector() override { return collector_; }
  bool doProveDropCounter() override;
  std::unique_ptr<DeviceTimer> doMakeTimer() override;
  Ns doNow() override;
  std::vector<DeviceFact> doFacts() override;

  std::vector<PingMark> doPingClock(std::uint32_t times) override;
  std::unique_ptr<StreamHold> doHold(Ns patience) override;
  std::unique_ptr<Call> doCaptureGraph(Call& call, std::uint32_t times) override;

  CounterReading doReadCounters(Call& call, L2Mode mode, std::uint32_t calls) override;

  void learnTimestamps();

  Nvml nvml_;
  CuptiProcess& cupti_;
  CudaTelemetry telemetry_;
  CudaContext context_;
  L2Clear l2_;
  Fingerprint fingerprint_;
  ClockPing ping_;
  StreamGate gate_;
  CuptiCollector collector_;
  RangeProfiler profiler_;
};

}  // namespace opscope::cuda
