// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "base/ns.h"

namespace opscope::host {

/// Now on the steady clock: the clock of every record of the host device. Any thread.
inline Ns steadyNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace opscope::host
