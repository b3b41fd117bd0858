// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "import/imported_trace.h"
#include "trace/intervals.h"

namespace opscope {

/// Which kernels and copies of a trace are looked at. Empty members leave nothing out.
struct TraceSelection {
  std::optional<std::uint32_t> device;
  std::vector<std::uint32_t> streams;
  std::optional<Interval> range;  ///< on the trace's clock; what crosses an end of it is cut there
  bool has(std::uint32_t deviceId, std::uint32_t streamId) const;
};

/// The selected records with what launched them. With `oneIteration` all of them are iteration 0, which is
/// how they are looked at over a whole trace; else their iterations stay.
Trace select(const Trace& trace, const TraceSelection& selection, bool oneIteration);

}  // namespace opscope
