// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "session/run.h"

namespace opscope {

/// What a run's numbers were made in: versions, host, launch core, and the device's sensors as they stand now
/// where it has any. On the launch thread.
Environment environmentOf(Device& device, int launchCore);

}  // namespace opscope
