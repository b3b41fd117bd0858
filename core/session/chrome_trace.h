// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "session/run.h"

namespace opscope {

/// The passes of a run as a Chrome trace: JSON that Perfetto and chrome://tracing open, and that `opscope
/// import` reads back with the same kernels, union and gaps. Each pass is a process; its threads are the
/// iterations ("ProfilerStep#0" to the last of the last pass), the launch calls, BUSY (the union), the gaps
/// by cause, each stream, and the copies. Instants are microseconds with three decimals, exact, from shortly
/// before the first record; `opscope.origin_ns` tells where that is on the trace's own clock. Correlation ids
/// are numbered anew, because those of two passes may be equal. Pure.
std::string chromeTrace(const Run& run);

}  // namespace opscope
