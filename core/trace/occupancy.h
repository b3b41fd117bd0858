// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/records.h"

namespace opscope {

/// What one multiprocessor holds, and in what portions it hands that out.
struct MultiprocessorLimits {
  int warps = 0;
  int blocks = 0;
  int registers = 0;
  int sharedBytes = 0;
  int reservedSharedBytes = 0;  ///< that the driver takes of it for each block
};

/// Of an architecture as in "sm_90"; nullopt for one that this version does not know. Source: the table of
/// technical specifications in the CUDA C++ Programming Guide.
std::optional<MultiprocessorLimits> limitsOf(std::string_view architecture);

enum class OccupancyLimit : std::uint8_t { Warps, Blocks, Registers, SharedMemory };

/// How many warps of one kernel fit on a multiprocessor at once: a figure of its launch, not of what ran. A
/// grid that is smaller than the device, clusters and other kernels beside it make it less.
struct Occupancy {
  int blocks = 0;
  int warps = 0;
  int warpsAtMost = 0;
  OccupancyLimit limit = OccupancyLimit::Warps;  ///< what ran out first
  double share() const { return static_cast<double>(warps) / warpsAtMost; }
};

/// nullopt for an unknown architecture and for a launch that does not fit on it at all (it cannot have been
/// of that device). Pure.
std::optional<Occupancy> occupancyOf(std::string_view architecture, const LaunchShape& shape);

}  // namespace opscope
