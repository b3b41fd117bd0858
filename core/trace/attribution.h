// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace opscope {

/// Which records belong to which iteration. Holds indices into the trace's vectors; the trace must outlive
/// it.
struct Attribution {
  /// Kernels of iteration i: kernels[kernelsFrom[i] .. kernelsFrom[i + 1]), ordered by start, then end.
  std::vector<std::uint32_t> kernels;
  std::vector<std::uint32_t> kernelsFrom;
  /// Memops of iteration i, likewise.
  std::vector<std::uint32_t> memops;
  std::vector<std::uint32_t> memopsFrom;

  /// The kernels that are pings of the clocks.
  std::vector<std::uint32_t> pings;

  /// The launch record of each of the trace's kernels, into Trace::launches; kNoLaunch where none was
  /// recorded.
  std::vector<std::uint32_t> launchOf;
  static constexpr std::uint32_t kNoLaunch = ~std::uint32_t{0};

  std::size_t iterations() const { return kernelsFrom.empty() ? 0 : kernelsFrom.size() - 1; }
  std::span<const std::uint32_t> kernelsOf(std::size_t iteration) const {
    return std::span(kernels).subspan(kernelsFrom[iteration],
                                      kernelsFrom[iteration + 1] - kernelsFrom[iteration]);
  }
  std::span<const std::uint32_t> memopsOf(std::size_t iteration) const {
    return std::span(memops).subspan(memopsFrom[iteration],
                                     memopsFrom[iteration + 1] - memopsFrom[iteration]);
  }
};

/// Decides whose iteration each kernel is, by the external id its record carries; timestamps decide nothing.
/// Either every kernel of every iteration is accounted for, or this throws and there is no number. In this
/// order: TimestampsMissing, RecordsLost, DropCounterUnproven, OffThreadLaunch, NoKernel.
Attribution attribute(const Trace& trace);

/// The same grouping without the judgement, for showing what was recorded when attribute() refused: kernels
/// without an iteration are left out.
Attribution groupByIteration(const Trace& trace);

/// The names of the kernels that its iterations ran.
std::set<std::string> kernelNames(const Trace& trace);

}  // namespace opscope
