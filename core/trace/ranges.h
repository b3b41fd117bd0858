// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace opscope {

/// One call by which a program marks itself, as it was made.
struct RangeEvent {
  enum class What : std::uint8_t { Push, Pop, Start, End, Mark } what = What::Mark;
  Ns at = 0;
  std::uint64_t handle = 0;  ///< of Start and End: joins them
  std::uint32_t nameId = 0;  ///< of Push, Start and Mark, into Trace::names
  std::uint32_t domainId = 0;
  std::uint32_t threadId = 0;
};

/// Joins beginnings and ends; `events` of one thread stand in the order in which they were made. A pop ends
/// the newest open push of its thread and domain. An end without a beginning, and a beginning without an end,
/// become records that say so; `unnamed` is the id of the empty name. Pure.
std::vector<RangeRecord> rangesOf(std::span<const RangeEvent> events, std::uint32_t unnamed);

/// The iteration that was being issued or drained at that instant of the host; nullopt between, before and
/// after them. O(log n).
std::optional<std::uint32_t> iterationAt(const std::vector<IterationMark>& iterations, Ns instant);

/// Where a range began (ended, where its beginning is unknown); nullopt outside all iterations.
std::optional<std::uint32_t> iterationOf(const Trace& trace, const RangeRecord& range);

/// True when the range began in one iteration and ended outside it.
bool crossesIterations(const Trace& trace, const RangeRecord& range);

}  // namespace opscope
