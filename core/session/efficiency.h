// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "session/run.h"

namespace opscope {

enum class Bound : std::uint8_t { Memory, Compute };
std::string_view nameOf(Bound bound);  ///< "memory", "compute"

/// How near an implementation comes to what bounds it on its device (docs/method.md, "Ceilings and
/// efficiency").
struct Efficiency {
  Bound bound = Bound::Memory;
  double rate = 0;     ///< bytes/s or FLOP/s, as claimed
  double ceiling = 0;  ///< of the same, at the clock of the passes where `clockRatio` is set
  double share = 0;    ///< rate / ceiling
  /// The SM clock of the passes over that of the ceiling; absent for memory, and where one of them is not
  /// known: the ceiling is then as it was measured.
  std::optional<double> clockRatio;
};

/// Absent without a number, without ceilings that hold for this run, or where it cannot be said what bounds
/// it: an op with operations in a dtype that has no matrix ceiling.
std::optional<Efficiency> efficiencyOf(const Run& run, std::uint32_t implementation);

/// Whether any implementation of the run has one: the columns are there, or not at all.
bool hasEfficiency(const Run& run);

/// "87.4 % memory"; "-" where there is none.
std::string efficiencyText(const std::optional<Efficiency>& efficiency);
/// What the shares are of, and whether clocks were accounted for; or why there are none. Empty where no
/// ceilings are known.
std::string ceilingSentence(const Run& run);

}  // namespace opscope
