// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ns.h"

namespace opscope {

/// What the memory moved while something ran, in bytes, by the device's own counters.
struct MemoryTraffic {
  std::int64_t dramRead = 0;
  std::int64_t dramWritten = 0;  ///< the write-back of what was dirty in L2 before included
  std::int64_t l2 = 0;           ///< through L2, hits and misses, reads and writes
  Ns profiled =
      0;  ///< how long it ran under the counters, serialised and at the clock of the moment: not busy
  std::int64_t dram() const { return dramRead + dramWritten; }
  bool operator==(const MemoryTraffic&) const = default;
};

/// A counter pass over one implementation: a few calls, each prepared as an iteration is, and counted kernel
/// by kernel where the device can. The preparation is not in it.
struct CounterReading {
  std::string l2;            ///< what was done to the caches before each call: "clean", "zero", "warm"
  std::int64_t l2Bytes = 0;  ///< the size of L2; 0 when the device does not tell
  std::uint32_t copies = 0;  ///< copies and fills of one call, by its records
  /// Each call was counted as a whole, copies and fills included, because the device does not count its
  /// kernels one by one (those of a graph). Otherwise copies and fills are not counted.
  bool together = false;
  /// The kernels of one recorded call, in the order in which they were launched.
  std::vector<std::string> kernels;
  /// What was counted of each call: one entry per kernel in the order of launch, or one for all.
  std::vector<std::vector<MemoryTraffic>> calls;
  bool operator==(const CounterReading&) const = default;
};

}  // namespace opscope
