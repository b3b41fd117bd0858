// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "device/device.h"
#include "stats/settling.h"
#include "timing/progress.h"
#include "timing/protocol.h"

namespace opscope {

/// What the settling phase runs.
struct SettlingCall {
  std::string name;
  Call* call = nullptr;  ///< not owned
};

/// Runs all calls round after round, cleared caches before each, until clock and medians are flat (isFlat) or
/// the protocol's limit (settleLimitOf) is over; nothing of it is recorded. On the launch thread; every
/// report is Phase::Prepare. Throws what a call throws, and Cancelled when `stop` was requested.
Settling settle(Device& device, const std::vector<SettlingCall>& calls, const Protocol& protocol,
                PassObserver& observer, const std::stop_token& stop);

}  // namespace opscope
