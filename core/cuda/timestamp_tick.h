// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/trace.h"

namespace opscope::cuda {

/// The smallest step of the device's timestamps, as far as these records show it: the greatest common divisor
/// of the differences between all starts and ends. Where that is 1, of the durations alone: a clock that is
/// converted between kernels may shift them against each other. 1 when there are too few records to tell.
Ns timestampTickOf(const Trace& trace);

}  // namespace opscope::cuda
