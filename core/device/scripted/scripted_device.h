// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "device/device.h"

namespace opscope::scripted {

/// What one call does on a scripted device, all in ns relative to the moment of the call.
struct ScriptedKernel {
  std::string name = "k";
  Ns issuedAfter =
      1'000;  ///< launch call ends this long after the call began (start of the launch call: 1 us before)
  Ns startAfter = 5'000;
  Ns length = 10'000;
  std::uint32_t stream = 7;
  bool offThread = false;       ///< its correlation id carries no external id
  bool zeroTimestamps = false;  ///< start = end = 0
  bool lost = false;            ///< the launch is recorded, the kernel is not
  bool uncounted = false;       ///< with lost: the drop counter does not see it
  bool memop = false;           ///< a copy instead of a kernel
  bool synchronise = false;     ///< the call waits for the device before its next launch
};

/// Plays what `script` returns for call number n of the device's life. Time is simulated and starts at 1 s:
/// issuing a call takes the host until its last launch, the device until the end of its last kernel; a clear
/// takes the device 20 us, a drain returns 1 us after the device's last work. A call that is issued while the
/// device is still busy waits, whole, until its first kernel finds the device free; after a drain the times
/// are exactly the script's. While the stream is held, launches take the host as long as the script says;
/// once let go, the kernels of a stream run 1 us apart from 5 us after the release on, and a call that
/// synchronises while it is held waits until the hold's patience has ended. Deterministic; figures are
/// labelled simulated. An empty list issues nothing, and what `kernels` throws leaves issue(), as a device
/// that fails.
struct Script {
  std::function<std::vector<ScriptedKernel>(std::uint64_t call)> kernels;
  std::function<double(Ns now)> speed;  ///< multiplies lengths: drift; empty is 1
  bool dropCounterWorks = true;
  /// What its memory counters say; empty: it has none. `l2` of the reading becomes the mode's label.
  std::function<CounterReading(L2Mode mode, std::uint32_t calls)> counters;
  /// While the collector's buffer is smaller than this, the last record of every call is dropped (and
  /// counted).
  std::int64_t needsBufferBytes = 0;
  /// What the sensors say at a simulated time, asked on the thread that reads them; empty: there are none.
  /// The device stamps the reading.
  std::function<TelemetrySample(Ns now)> sensors;
  /// Who uses the device besides, likewise; empty: it does not tell.
  std::function<DeviceUse()> use;
  std::vector<DeviceFact> facts;
  double memoryBytesPerSecond = 0;  ///< see DeviceInfo
};

/// Throws BadInput for a script without `kernels`.
std::unique_ptr<Device> openScriptedDevice(Script script);
/// The call that plays the script; any CallSpec gives the same.
CallSpec scriptedCall();

}  // namespace opscope::scripted
