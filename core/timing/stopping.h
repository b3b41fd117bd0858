// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "base/error.h"
#include "device/device.h"

namespace opscope {

/// Throws Cancelled when a stop was asked for, with nothing of ours left running on the device.
inline void throwIfStopped(Device& device, const std::stop_token& stop) {
  if (!stop.stop_requested()) return;
  device.drain();
  throw Cancelled("The measurement was stopped");
}

}  // namespace opscope
