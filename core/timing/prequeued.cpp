// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "timing/pass.h"

namespace opscope {
namespace {

// How long a call may take to be issued behind a hold: many times what it takes without one, since it must
// not be cut off by a busy machine, and short enough that one which waits for the hold is told so soon.
Ns patienceFor(Device& device, Call& call) {
  constexpr Ns kLeast = 250 * kMillisecond, kMost = 20 * kSecond;
  constexpr Ns kTimesIssue = 20;
  Ns longest = 0;
  for (int i = 0; i < 2; ++i) {  // the first may still load code
    device.drain();
    const Ns before = device.now();
    call.issue();
    longest = std::max(longest, device.now() - before);
  }
  device.drain();
  return std::clamp(longest * kTimesIssue, kLeast, kMost);
}

}  // namespace

Pass runPrequeued(Device& device, Call& call, const Protocol& protocol, PassCounts counts,
                  PassObserver& observer, std::stop_token stop, const Progress& progress) {
  Protocol held = protocol;
  held.holdPatience = patienceFor(device, call);
  for (std::uint32_t attempt = 1;; ++attempt) {
    Pass pass = runPass(device, call, held, counts, observer, stop, progress);
    pass.attempts = attempt;
    const bool lost = pass.failure && pass.failure->code == ErrorCode::RecordsLost;
    if (!lost || attempt >= protocol.attempts) return pass;
    held.bufferBytes *= kBufferGrowth;
  }
}

}  // namespace opscope
