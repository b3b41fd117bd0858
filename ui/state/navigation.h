// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "session/run.h"
#include "state/lane_layout.h"

namespace opscope::ui {

/// Steps from one thing to the next. Gap indices are into Pass::gaps. Pure.

struct IndexRange {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};
/// The gaps of an iteration: Pass::gaps is ordered by iteration and start.
IndexRange gapsOf(const Pass& pass, std::uint32_t iteration);

std::optional<std::uint32_t> largestGap(const Pass& pass, std::uint32_t iteration);
/// The first gap that starts after `at` (an instant of the trace), or with a negative direction the last that
/// starts before it.
std::optional<std::uint32_t> gapFrom(const Pass& pass, std::uint32_t iteration, Ns at, int direction);

/// The neighbour of a kernel in its own row; nullopt at the row's end or when the kernel is not shown.
std::optional<std::uint32_t> kernelBeside(const IterationLanes& lanes, std::uint32_t kernel, int direction);

/// The iteration before or after, going on into the neighbouring pass of the same implementation.
std::optional<IterationRef> iterationBeside(const Run& run, IterationRef at, int direction);

}  // namespace opscope::ui
