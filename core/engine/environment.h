// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "session/run.h"

namespace opscope {

/// What a run's numbers were made in: versions, host, launch core, the device's settings, and its sensors as
/// they stand now where it has any. `telemetry`: whether passes read the sensors. On the launch thread.
Environment environmentOf(Device& device, int launchCore, bool telemetry);

}  // namespace opscope
