// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "import/imported_trace.h"
#include "import/selection.h"
#include "trace/gaps.h"

namespace opscope {

/// Kernels of one stream, or of several together, in ns.
struct LaneTotals {
  std::uint32_t deviceId = 0;
  std::uint32_t streamId = 0;
  std::uint64_t kernels = 0;
  Ns sum = 0;              ///< durations added up
  Ns busy = 0;             ///< their union: what overlaps counts once
  std::uint64_t gaps = 0;  ///< holes in that union
  Ns gapTime = 0;
};

/// Why a device was idle in a trace: union, holes and their causes over the selected kernels.
struct TraceGaps {
  Trace trace;  ///< the selected records, as one iteration
  Attribution attribution;
  ClockBounds clock;
  LaneTotals all;                   ///< over all selected streams together
  std::vector<LaneTotals> streams;  ///< each alone, by device and stream
  std::vector<Gap> gaps;            ///< in order of their start
  GapTotals byCause;
  Ns latency = 0;              ///< from the first kernel's start to the last one's end
  std::uint64_t lateGaps = 0;  ///< gaps whose next kernel's launch call was entered after they began
  Ns lateGapTime = 0;
  std::uint64_t gapsWithoutLaunch = 0;  ///< gaps whose next kernel has no launch record
};

/// Pure; any thread.
TraceGaps gapsIn(const Trace& trace, const TraceSelection& selection);

/// What an imported trace says of the two clocks: the recording program has put both sides on one axis and
/// does not say how well, so the offset is taken as 0 and is not known. The launch latency is the median over
/// the kernels that were launched while the device was idle; 0 when there are none.
ClockBounds importedClock(const Trace& trace, const Attribution& attribution);

}  // namespace opscope
