// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "session/run.h"

namespace opscope {

/// Counts what the memory moves in a few calls of one implementation, prepared as its iterations were. What
/// keeps it from being counted is written into the result: the numbers stand without it. Throws DeviceLost.
/// On the launch thread, between passes.
void countMemory(Device& device, Call& call, L2Mode l2, ImplementationResult& result);

}  // namespace opscope
