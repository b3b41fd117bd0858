// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "session/run.h"

namespace opscope {

/// Instead of a launch core: the launch thread is one of the program that asks, which decides where it runs.
inline constexpr int kCallersThread = -2;

/// What a run's numbers were made in: versions, host, launch core, the device's settings, and its sensors as
/// they stand now where it has any. `telemetry`: whether passes read the sensors. On the launch thread.
Environment environmentOf(Device& device, int launchCore, bool telemetry);

}  // namespace opscope
