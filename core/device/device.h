// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/ns.h"
#include "device/call.h"
#include "device/check.h"
#include "device/telemetry_source.h"
#include "trace/counters.h"
#include "trace/trace.h"

namespace opscope {

/// How the caches are put into a known state before each iteration.
enum class L2Mode : std::uint8_t {
  Clean,   ///< evict by reading a buffer that nobody writes: cold, and no dirty lines left behind
  Zero,    ///< evict by writing zeros: leaves dirty lines whose write-back lands in the timed call
  Warm,    ///< leave the caches as they are
  Rotate,  ///< clear nothing; the call cycles through copies of its tensors that together exceed the caches
};
std::string_view nameOf(L2Mode mode);
std::optional<L2Mode> l2ModeFromName(std::string_view name);

/// What a figure from this device is. Shown wherever the figure is.
enum class FigureKind : std::uint8_t { Gpu, HostCpu, Simulated };
std::string_view nameOf(FigureKind kind);  // "GPU", "host CPU", "simulated"

struct DeviceInfo {
  std::string id;    ///< what --device takes: "cuda:0", "host"
  std::string kind;  ///< "cuda", "host", "scripted": which implementations of an op fit
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< empty where there is none
  FigureKind figures = FigureKind::HostCpu;
  std::string method;        ///< how records are made: "cupti", "host-records"
  std::string architecture;  ///< "sm_90"
  std::int64_t memoryBytes = 0;
  std::int64_t l2Bytes = 0;  ///< 0 when the device does not tell
  int multiprocessors = 0;
  int threadsPerMultiprocessor = 0;
  int registersPerMultiprocessor = 0;
  std::int64_t sharedBytesPerMultiprocessor = 0;
  Ns timestampTick = 1;                         ///< smallest step of a record's timestamps
  double memoryBytesPerSecond = 0;              ///< what its memory could carry at most; 0 when unknown
  std::vector<int> nearbyCpus;                  ///< cores near the device; empty when unknown
  std::map<std::string, std::string> versions;  ///< "driver", "cuda runtime", "cupti", ... as text
};

struct CollectOptions {
  std::int64_t bufferBytes =
      256 * 1024;  ///< of one record buffer; on the host device, of all records of the pass
};

/// Records what the device does between open() and close(). On the launch thread.
class Collector {
 public:
  Collector() = default;
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;
  virtual ~Collector() = default;
  /// Starts recording. Throws DeviceUnavailable when the instrument cannot be had (permission, another tool).
  virtual void open(const CollectOptions& options) = 0;
  /// Labels everything that this thread launches from here to pop().
  virtual void push(std::uint64_t externalId) = 0;
  virtual void pop() = 0;
  /// Stops recording and hands over everything since open(). `iterations` of the trace is left empty. Never
  /// called with work in flight. After this the collector can be opened again.
  virtual Trace close() = 0;
  /// Stops recording and throws the records away; for the way out after a failure. Never throws.
  virtual void discard() noexcept = 0;
  virtual bool isOpen() const noexcept = 0;
};

/// Measures a stretch of the main stream with the device's own events, without records.
class DeviceTimer {
 public:
  virtual ~DeviceTimer() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual Ns elapsed() = 0;  ///< waits for stop() to have happened on the device
};

/// Keeps the main stream from starting what was issued after it was made: see Device::hold(). On the launch
/// thread; destroying it lets go.
class StreamHold {
 public:
  StreamHold() = default;
  StreamHold(const StreamHold&) = delete;
  StreamHold& operator=(const StreamHold&) = delete;
  virtual ~StreamHold() = default;
  /// Lets go. True when it had held until now, false when its patience had ended before: then somebody may
  /// have waited for what was held, and nothing that ran since was queued ahead.
  virtual bool release() = 0;
};

/// A device that runs and records work: the seam between the method and the machine. One thread, the launch
/// thread, makes every call; each public function checks it and throws WrongThread. A failure of the device
/// itself is DeviceLost, after which nothing here works any more.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const { return info_; }

  /// Makes the calling thread the launch thread. The thread that opened the device has this role until then.
  void bindToThisThread() { owner_ = std::this_thread::get_id(); }
  /// Throws WrongThread unless called on the launch thread.
  void checkThread() const;

  std::unique_ptr<DeviceMemory> allocate(
      std::size_t bytes);  ///< throws OutOfMemory, naming size and what is free
  void copyToDevice(DeviceMemory& to, std::span<const std::byte> from);  ///< waits until done
  void copyToHost(std::span<std::byte> to, const DeviceMemory& from);  ///< waits until done; to.size() bytes
  void fill(DeviceMemory& memory, std::byte value);                    ///< waits until done
  /// A number that tells whether `memory` has changed since it was taken before, made where the memory lies:
  /// gigabytes need not travel. Empty where the device has none. Waits until done.
  std::optional<std::uint64_t> fingerprint(const DeviceMemory& memory);

  /// Compiles, loads, looks up and warms whatever the call needs. Throws CompileFailed with the compiler's
  /// log, LibraryMissing, NotSupported, BadInput (an argument that does not fit).
  std::unique_ptr<Call> prepare(const CallSpec& spec);

  /// Puts the caches into the state of `mode`, by work on the main stream; does not wait.
  void clearCaches(L2Mode mode);
  /// What clearCaches(mode) really does here, as it is to be shown: "clean", "clean (partial)".
  virtual std::string l2Label(L2Mode mode) const = 0;
  /// What copies of a call's tensors must exceed together so that a call that cycles through them finds none
  /// of it in the caches.
  virtual std::int64_t rotationBytes() const;
  /// True when clearing runs as work of the device and so belongs to what an iteration costs it; on the host
  /// device a clear is kept out of the budget.
  virtual bool clearCountsInBudget() const { return true; }

  /// Waits until the device has done everything. Throws DeviceLost when the device failed meanwhile.
  void drain();

  Collector& collector();
  /// Sees the drop counter count, once per process; false when it did not. Collector must be closed.
  bool proveDropCounter();
  std::unique_ptr<DeviceTimer> makeTimer();
  /// Now, on the clock of the traces.
  Ns now();
  /// Lets `times` kernels run until the host releases them, inside an open collection: bounds for the offset
  /// of the clocks. The marks belong into Trace::pings. Empty where the device cannot, or has one clock with
  /// the host.
  std::vector<PingMark> pingClock(std::uint32_t times);

  /// The sensors, for any thread to read; null where there are none. Lives as long as the device.
  virtual TelemetrySource* telemetrySource() { return nullptr; }
  /// Why there are none, where there are none: "the host device has none".
  virtual std::string whyNoTelemetry() const { return "this device has none"; }
  /// What of the device somebody can set, as it stands now. Asks the driver: not for a pass.
  std::vector<DeviceFact> facts();
  /// What the memory moves in each of `calls` calls, by the device's own counters, each call after its own
  /// clearCaches(mode). Not a timed pass: kernels are serialised. The collector must be closed. Throws
  /// NotSupported where the device has no such counters, DeviceUnavailable and LibraryMissing where they
  /// cannot be had; nothing else is lost then.
  CounterReading readCounters(Call& call, L2Mode mode, std::uint32_t calls);
  /// Holds the main stream: nothing that is issued after this starts before release(). When `patience` has
  /// passed it lets go by itself, so that a call which waits for the device inside itself does not wait for
  /// ever. One at a time. Throws NotSupported where the device cannot.
  std::unique_ptr<StreamHold> hold(Ns patience);
  /// `times` issues of the call as one graph; the call must outlive it. Throws NotSupported, with the reason,
  /// for a call that a graph cannot hold (the stream stays usable) and where the device has no graphs.
  std::unique_ptr<Call> captureGraph(Call& call, std::uint32_t times);

 protected:
  explicit Device(DeviceInfo info) : info_(std::move(info)), owner_(std::this_thread::get_id()) {}
  /// Says that there are no counters, unless a device overrides it.
  virtual CounterReading doReadCounters(Call&, L2Mode, std::uint32_t);
  DeviceInfo info_;

 private:
  virtual std::unique_ptr<DeviceMemory> doAllocate(std::size_t bytes) = 0;
  virtual void doCopyToDevice(DeviceMemory& to, std::span<const std::byte> from) = 0;
  virtual void doCopyToHost(std::span<std::byte> to, const DeviceMemory& from) = 0;
  virtual void doFill(DeviceMemory& memory, std::byte value) = 0;
  virtual std::optional<std::uint64_t> doFingerprint(const DeviceMemory&) { return std::nullopt; }
  virtual std::unique_ptr<Call> doPrepare(const CallSpec& spec) = 0;
  virtual void doClearCaches(L2Mode mode) = 0;
  virtual void doDrain() = 0;
  virtual Collector& doCollector() = 0;
  virtual bool doProveDropCounter() = 0;
  virtual std::unique_ptr<DeviceTimer> doMakeTimer() = 0;
  virtual Ns doNow() = 0;
  virtual std::vector<PingMark> doPingClock(std::uint32_t) { return {}; }
  virtual std::vector<DeviceFact> doFacts() { return {}; }
  virtual std::unique_ptr<StreamHold> doHold(Ns patience);
  virtual std::unique_ptr<Call> doCaptureGraph(Call& call, std::uint32_t times);

  std::thread::id owner_;
};

}  // namespace opscope
