// SPDX-License-Identifier: Apache-2.0
#include "device/scripted/scripted_device.h"

#include <cstring>
#include <utility>

#include "base/error.h"
#include "device/scripted/simulation.h"

namespace opscope::scripted {
namespace {

class ScriptedMemory : public DeviceMemory {
 public:
  explicit ScriptedMemory(std::size_t bytes) : content_(bytes) {}
  std::size_t bytes() const override { return content_.size(); }
  void* address() const override { return const_cast<std::byte*>(content_.data()); }

 private:
  std::vector<std::byte> content_;
};

class ScriptedCall : public Call {
 public:
  ScriptedCall(const Device& device, Simulation& simulation) : device_(device), simulation_(simulation) {}
  void issue() override {
    device_.checkThread();
    simulation_.call();
  }

 private:
  const Device& device_;
  Simulation& simulation_;
};

class ScriptedTimer : public DeviceTimer {
 public:
  explicit ScriptedTimer(Simulation& simulation) : simulation_(simulation) {}
  void start() override { started_ = simulation_.reached(); }
  void stop() override { stopped_ = simulation_.reached(); }
  Ns elapsed() override {
    simulation_.drain();
    return stopped_ - started_;
  }

 private:
  Simulation& simulation_;
  Ns started_ = 0;
  Ns stopped_ = 0;
};

class ScriptedHold : public StreamHold {
 public:
  ScriptedHold(Simulation& simulation, Ns patience) : simulation_(simulation) { simulation_.hold(patience); }
  ~ScriptedHold() override { simulation_.release(); }
  bool release() override { return simulation_.release(); }

 private:
  Simulation& simulation_;
};

class ScriptedCollector : public Collector {
 public:
  explicit ScriptedCollector(Simulation& simulation) : simulation_(simulation) {}
  void open(const CollectOptions& options) override {
    if (isOpen()) throw InternalError("The scripted device's collector was opened twice");
    simulation_.openRecords(options.bufferBytes);
  }
  void push(std::uint64_t externalId) override { simulation_.push(externalId); }
  void pop() override { simulation_.pop(); }
  Trace close() override {
    if (!isOpen()) throw InternalError("The scripted device's collector was closed, but it is not open");
    return simulation_.closeRecords();
  }
  void discard() noexcept override {
    if (isOpen()) simulation_.closeRecords();
  }
  bool isOpen() const noexcept override { return simulation_.recording(); }

 private:
  Simulation& simulation_;
};

class ScriptedTelemetry : public TelemetrySource {
 public:
  ScriptedTelemetry(const Script& script, const Simulation& simulation)
      : sensors_(script.sensors), use_(script.use), simulation_(simulation) {}
  std::optional<TelemetrySample> read() noexcept override {
    const Ns now = simulation_.now();
    TelemetrySample sample = sensors_(now);
    sample.at = now;
    return sample;
  }
  std::optional<DeviceUse> use() noexcept override { return use_ ? std::optional(use_()) : std::nullopt; }

 private:
  std::function<TelemetrySample(Ns)> sensors_;
  std::function<DeviceUse()> use_;
  const Simulation& simulation_;
};

DeviceInfo scriptedInfo(const Script& script) {
  DeviceInfo info;
  info.memoryBytesPerSecond = script.memoryBytesPerSecond;
  info.id = "scripted";
  info.kind = "scripted";
  info.name = "Scripted device";
  info.figures = FigureKind::Simulated;
  info.method = "script";
  info.timestampTick = 1;
  return info;
}

class ScriptedDevice : public Device {
 public:
  explicit ScriptedDevice(Script script)
      : Device(scriptedInfo(script)),
        facts_(std::move(script.facts)),
        hasSensors_(static_cast<bool>(script.sensors)),
        counters_(std::move(script.counters)),
        telemetry_(script, simulation_),
        simulation_(std::move(script)),
        collector_(simulation_) {}
  std::string l2Label(L2Mode mode) const override { return std::string(nameOf(mode)); }
  TelemetrySource* telemetrySource() override { return hasSensors_ ? &telemetry_ : nullptr; }
  std::string whyNoTelemetry() const override { return "the script has none"; }

 private:
  std::unique_ptr<DeviceMemory> doAllocate(std::size_t bytes) override {
    return std::make_unique<ScriptedMemory>(bytes);
  }
  void doCopyToDevice(DeviceMemory& to, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(to.address(), from.data(), from.size());
  }
  void doCopyToHost(std::span<std::byte> to, const DeviceMemory& from) override {
    if (!to.empty()) std::memcpy(to.data(), from.address(), to.size());
  }
  void doFill(DeviceMemory& memory, std::byte value) override {
    if (memory.bytes() > 0) std::memset(memory.address(), std::to_integer<int>(value), memory.bytes());
  }
  std::unique_ptr<Call> doPrepare(const CallSpec&) override {
    return std::make_unique<ScriptedCall>(*this, simulation_);
  }
  void doClearCaches(L2Mode) override { simulation_.clear(); }
  void doDrain() override { simulation_.drain(); }
  Collector& doCollector() override { return collector_; }
  bool doProveDropCounter() override { return simulation_.dropCounterWorks(); }
  std::unique_ptr<DeviceTimer> doMakeTimer() override { return std::make_unique<ScriptedTimer>(simulation_); }
  Ns doNow() override { return simulation_.now(); }
  std::vector<DeviceFact> doFacts() override { return facts_; }
  CounterReading doReadCounters(Call& call, L2Mode mode, std::uint32_t calls) override {
    if (!counters_) return Device::doReadCounters(call, mode, calls);
    CounterReading reading = counters_(mode, calls);
    reading.l2 = l2Label(mode);
    return reading;
  }
  std::unique_ptr<StreamHold> doHold(Ns patience) override {
    return std::make_unique<ScriptedHold>(simulation_, patience);
  }

  std::vector<DeviceFact> facts_;
  bool hasSensors_;
  std::function<CounterReading(L2Mode, std::uint32_t)> counters_;
  ScriptedTelemetry telemetry_;  // keeps its own part of the script
  Simulation simulation_;
  ScriptedCollector collector_;
};

}  // namespace

std::unique_ptr<Device> openScriptedDevice(Script script) {
  if (!script.kernels) throw BadInput("A script needs a function that says what each call does");
  return std::make_unique<ScriptedDevice>(std::move(script));
}

CallSpec scriptedCall() {
  CallSpec spec;
  spec.label = "scripted";
  return spec;
}

}  // namespace opscope::scripted
