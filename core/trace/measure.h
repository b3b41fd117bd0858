// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "trace/attribution.h"

namespace opscope {

/// One iteration's reading, in nanoseconds.
struct Sample {
  Ns busy = 0;     ///< union of the kernels' execution intervals: the number
  Ns latency = 0;  ///< latest end minus earliest start: an instrumented figure
  std::uint32_t kernels = 0;
  std::uint32_t memops = 0;
  Ns memopTime = 0;  ///< union of the memops' intervals; never in busy
  Ns gap() const { return latency - busy; }
};

/// One sample per iteration, in order. Every iteration must have a kernel (attribute() has seen to it).
std::vector<Sample> measure(const Trace& trace, const Attribution& attribution);

}  // namespace opscope
