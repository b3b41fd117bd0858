// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/trace.h"

namespace opscope::cuda {

/// A runtime call may be recorded together with the driver call that it makes. Keeps one launch record of
/// such a pair: the one whose correlation id the device's records carry (the outer one where both or neither
/// do), so that every launch is there once and joins its kernel. Two calls are a pair when the inner one lies
/// within the outer one on the same thread. Never drops a launch without leaving one that encloses it or that
/// it encloses, so a lost kernel still shows.
void foldNestedLaunches(Trace& trace);

}  // namespace opscope::cuda
