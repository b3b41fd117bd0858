// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/run.h"
#include "trace/counters.h"

namespace opscope {

/// What all kernels of a call moved together: each quantity's median over the counted calls.
MemoryTraffic medianCall(const CounterReading& reading);

/// What one kernel of a call moved: each quantity's median over the counted calls.
struct KernelTraffic {
  std::string name;
  MemoryTraffic traffic;
};
/// In the order of launch. Empty when not every call was counted in the same number of parts.
std::vector<KernelTraffic> medianKernels(const CounterReading& reading);

/// What stands for part `part` of `parts` of a counted call: the kernel's name where the parts are the
/// recorded kernels, else what can be said: "all 3 kernels", "part 2 of 5".
std::string partName(const CounterReading& reading, std::size_t part, std::size_t parts);

/// Claimed bytes over the bytes that DRAM moved, of one call: below 1 the implementation moves more than the
/// op claims. nullopt without a reading, a claim or a movement.
std::optional<double> claimedOverMoved(const Run& run, const ImplementationResult& result);

}  // namespace opscope
