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

/// What a clear costs that calibrate() leaves out: the least of three. 0 where it is counted there. In ns.
Ns uncountedClear(Device& device, L2Mode l2);

/// One pass, measured once: warm-up, then `counts.iterations` x (prepare, call, drain) under their external
/// ids, then attribution, samples and gaps. A failure of the method (RecordsLost and its kin) comes back in
/// Pass::failure with the trace; everything else is thrown: DeviceLost, OutOfMemory, and Cancelled when
/// `stop` was requested (the device is drained and the records are thrown away). `progress` gives
/// implementation, pass, passes and time left for the observer.
Pass runPass(Device& device, Call& call, const Protocol& protocol, PassCounts counts, PassObserver& observer,
             std::stop_token stop, Progress progress);

/// The name of the control in Pass::control.
inline constexpr const char* kPrequeued = "prequeued";

/// The pre-queued control: as runPass, but the stream is held while each call is issued, so that its kernels
/// stand in the queue before the first one starts and the host has no part in their gaps. Code is loaded and
/// warm before. Measured again as often as the protocol allows when records are lost. Throws NotSupported for
/// a call that waits for the device inside itself, and where the device cannot hold a stream.
Pass runPrequeued(Device& device, Call& call, const Protocol& protocol, PassCounts counts,
                  PassObserver& observer, std::stop_token stop, const Progress& progress);

/// Attribution, samples, clock bounds and gaps of a recorded pass: fills them in, or `failure`.
void judge(Pass& pass);

}  // namespace opscope
