// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"

namespace opscope::host {

/// The host device of this machine, described. Never throws for what the system does not tell.
DeviceInfo hostDeviceInfo();

}  // namespace opscope::host
