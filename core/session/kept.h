// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "session/run.h"

namespace opscope {

// What `--records` keeps of a run (docs/session-format.md), and what can still be said of a pass that kept
// less. All of this is pure.

std::string_view nameOf(RecordsKept kept);  ///< "all", "summary", "none"
std::optional<RecordsKept> recordsKeptFromName(std::string_view name);

/// What the readings of a pass add up to; times in ns.
struct PassFigures {
  Summary busy;
  Summary latency;
  double kernelsMedian = 0;  ///< per iteration
  double memopsMedian = 0;
  double memopTimeMedian = 0;
  Ns latencyTotal = 0;  ///< over all iterations
  GapTotals gaps;       ///< by cause
  Ns middle = 0;        ///< of the timed loop, on the clock of the trace
};

/// From its samples, or as its session kept them.
PassFigures figuresOf(const Pass& pass);
// One of them each: all together sort the samples several times.
Summary busyOf(const Pass& pass);
Ns latencyTotalOf(const Pass& pass);
GapTotals gapTotalsOf(const Pass& pass);
Ns middleOf(const Pass& pass);
/// The names of the kernels that its iterations ran.
std::set<std::string> kernelNamesOf(const Pass& pass);

/// The same pass with no more than `kept` of it.
std::shared_ptr<const Pass> reducedTo(RecordsKept kept, std::shared_ptr<const Pass> pass);
/// The same run: its pooled numbers, comparison and findings stand; findings point at what is left.
Run reducedTo(RecordsKept kept, Run run);

/// The least that any of its passes kept.
RecordsKept keptOf(const Run& run);
/// What cannot be shown of such a run any more, and why; empty for All.
std::string keptSentence(RecordsKept kept);

}  // namespace opscope
