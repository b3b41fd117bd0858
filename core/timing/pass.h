// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "device/device.h"
#include "timing/progress.h"
#include "timing/protocol.h"
#include "trace/pass.h"

namespace opscope {

/// What one iteration costs: 3 x (clear + call) between one pair of the device's events, after a first call.
/// On the host device without the clear. In ns. Throws what the call throws.
Ns calibrate(Device& device, Call& call, L2Mode l2);

/// One pass, measured once: warm-up, then `counts.iterations` x (prepare, call, drain) under their external
/// ids, then attribution, samples and gaps. A failure of the method (RecordsLost and its kin) comes back in
/// Pass::failure with the trace; everything else is thrown: DeviceLost, OutOfMemory, and Cancelled when
/// `stop` was requested (the device is drained and the records are thrown away). `progress` gives
/// implementation, pass, passes and time left for the observer.
Pass runPass(Device& device, Call& call, const Protocol& protocol, PassCounts counts, PassObserver& observer,
             std::stop_token stop, Progress progress);

/// Attribution, samples, clock bounds and gaps of a recorded pass: fills them in, or `failure`.
void judge(Pass& pass);

}  // namespace opscope
