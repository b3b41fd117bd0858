// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/run.h"
#include "trace/occupancy.h"

namespace opscope::ui {

/// All kernels of one name and launch shape in the passes of one implementation.
struct KernelGroup {
  std::string name;
  LaunchShape shape;
  std::uint64_t count = 0;
  double perIteration = 0;
  double totalNs = 0;   ///< per iteration
  double medianNs = 0;  ///< of one kernel
  double share = 0;     ///< of the implementation's kernel time
  /// Moved per call, where it was counted: the median over the counted calls. Nothing where kernels of this
  /// name have several shapes: the counters know names alone.
  std::optional<double> dramBytes;
  std::optional<double> l2Bytes;
  std::optional<Occupancy> occupancy;  ///< where the run's architecture is known
  // One example, to select.
  std::uint32_t pass = 0;
  std::uint32_t iteration = 0;
  std::uint32_t kernel = 0;
};

/// Longest first; empty for an implementation without a number. Pure.
std::vector<KernelGroup> kernelGroups(const Run& run, std::uint32_t implementation);

}  // namespace opscope::ui
