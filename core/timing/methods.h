// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "device/device.h"
#include "stats/method_reading.h"
#include "timing/progress.h"
#include "timing/protocol.h"

namespace opscope {

/// The two rows that the records of a measured call are in a table of methods.
std::vector<MethodReading> recordReadings(const Summary& busy, const Summary& latency, const std::string& l2);

/// Times the call in the ways of other tools: an event pair around each call, one around a loop of calls,
/// replays of a graph, and the host's wall clock. `counts.iterations` is how often each runs. A method that
/// the call or the device does not allow says so in its reading; DeviceLost and Cancelled are thrown. Nothing
/// is recorded meanwhile.
std::vector<MethodReading> measureOtherMethods(Device& device, Call& call, const Protocol& protocol,
                                               PassCounts counts, PassObserver& observer,
                                               std::stop_token stop, Progress progress);

/// Times the call by event pairs with collection off, on, on, off, `iterations` each way: the same meter
/// twice, so that what differs is the price of recording. Throws what the device throws, and Cancelled.
TracingCost measureTracingCost(Device& device, Call& call, const Protocol& protocol, std::uint32_t iterations,
                               PassObserver& observer, std::stop_token stop, Progress progress);

}  // namespace opscope
