// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ns.h"

namespace opscope {

struct Pass;

/// A reading of the device's own sensors. Absent fields were not available.
struct TelemetrySample {
  Ns at = 0;  ///< on the trace's clock
  std::optional<int> smClockMhz;
  std::optional<int> memoryClockMhz;
  std::optional<int> temperatureC;
  std::optional<int> powerMilliwatt;             ///< an average over the board's own window
  std::optional<std::uint64_t> throttleReasons;  ///< NVML's clocks event reasons, as a bit set
  bool operator==(const TelemetrySample&) const = default;
};

/// Why clocks are not higher, as bits of TelemetrySample::throttleReasons.
inline constexpr std::uint64_t kThrottleIdle = 0x1;
inline constexpr std::uint64_t kThrottleApplicationClocks = 0x2;
/// The power limit, and the brake that a board's supply can pull.
inline constexpr std::uint64_t kThrottlePower = 0x4 | 0x80;
inline constexpr std::uint64_t kThrottleThermal = 0x20 | 0x40;
/// "Hardware slowdown": set with either of the two, and alone for what the board does not name.
inline constexpr std::uint64_t kThrottleHardware = 0x8;

/// The bits as words, in the order of the bits: "power limit", "thermal (software)". A bit that this version
/// does not know reads as its number.
std::vector<std::string> throttleWords(std::uint64_t reasons);
/// The same, with commas; "none" where nothing holds the clocks down.
std::string throttleText(std::uint64_t reasons);

/// Lowest, middle and highest of some readings.
struct ReadingRange {
  int low = 0;
  int median = 0;
  int high = 0;
  bool operator==(const ReadingRange&) const = default;
};

/// What the sensors said while a pass was timed. Absent: no reading had it.
struct TelemetrySummary {
  std::uint32_t readings = 0;
  std::optional<ReadingRange> smClockMhz;
  std::optional<ReadingRange> memoryClockMhz;
  std::optional<int> hottestC;
  std::optional<ReadingRange> powerMilliwatt;
  std::optional<std::uint64_t> throttleReasons;  ///< all that stood in any reading
};

/// The index of the first reading that speaks of the timed loop.
std::size_t firstOfLoop(const Pass& pass);

/// Of the timed loop: from the last reading before its first iteration to the last one of the pass. What was
/// read while the device warmed up counts only where nothing else was read before the loop. Pure.
TelemetrySummary summariseTelemetry(const Pass& pass);

/// Clocks that differ by so much (a share) made different times: larger than what a comparison resolves.
inline constexpr double kClockDifference = 0.02;
/// The SM clock at which some passes ran: the median of their medians, in MHz; nullopt where nothing was
/// read.
std::optional<double> observedSmClock(std::span<const Pass* const> passes);

/// A process that has a context on the device, as the device's driver counts them.
struct DeviceProcess {
  std::uint32_t pid = 0;          ///< in the name space of the driver, which need not be ours
  std::optional<int> smPercent;   ///< its share of the device's time, as the driver sampled it last
  std::int64_t memoryBytes = -1;  ///< -1: not told
  bool operator==(const DeviceProcess&) const = default;
};

/// Who used the device in a pass.
struct DeviceUse {
  /// Every process with a context, this one too.
  std::vector<DeviceProcess> processes;
  /// Which of them is this process; nullopt where its id is not among them: in a container the driver counts
  /// by the host's ids.
  std::optional<std::uint32_t> ownPid;
  bool operator==(const DeviceUse&) const = default;
};

/// How many of the processes are not this one. Where this one cannot be told from the others, one of them is
/// taken to be it.
std::size_t otherProcesses(const DeviceUse& use);
/// How many of those the driver saw work on the device.
std::size_t otherBusyProcesses(const DeviceUse& use);

}  // namespace opscope
