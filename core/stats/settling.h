// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ns.h"
#include "stats/summary.h"

namespace opscope {

/// One look at a device that warms up: every implementation was run for a moment.
struct SettlingRound {
  std::vector<Summary> times;     ///< of its calls, by implementation, by whatever meter, in ns
  std::optional<int> smClockMhz;  ///< absent where the device has no such sensor
};

/// Flat: over the last three rounds the median of every implementation has stayed within 0.5 %, or within
/// the spread (IQR) of its own calls where that is more, and the clock within 1 %. False for fewer rounds.
bool isFlat(std::span<const SettlingRound> rounds);

/// How the phase before a comparison's first block ended.
struct Settling {
  bool settled = false;  ///< false: the limit was reached first
  Ns took = 0;
  Ns limit = 0;
  std::uint32_t rounds = 0;
  std::optional<int> firstClockMhz;
  std::optional<int> lastClockMhz;
  bool operator==(const Settling&) const = default;
};

}  // namespace opscope
