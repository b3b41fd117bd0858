// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/pass.h"

namespace opscope {

/// What taking the host away says of a gap, against what its label inferred from the records.
enum class ExperimentResult : std::uint8_t {
  Confirmed,  ///< a gap that the label lays to the host shrank, or one that it lays to the device stayed
  Disagrees,  ///< the other way round: believe the experiment
  Host,       ///< the label says nothing of host or device; the gap shrank
  Device,     ///< the same; the gap stayed
};
inline constexpr int kExperimentResults = 4;
std::string_view nameOf(ExperimentResult result);  ///< "confirmed", "disagrees", "host", "device"
ExperimentResult experimentResultFromName(std::string_view name);

/// The gap at one place of a call, as it was and as it is when the whole call stands in the queue before its
/// first kernel starts.
struct PrequeuedGap {
  std::uint32_t position = 0;  ///< before kernel number `position` of the call, counted from 0 by start
  std::string before;          ///< the kernel that comes earlier, and the one that ends the gap
  std::string after;
  Ns normal = 0;  ///< median length over all iterations, 0 counted for one without a gap here
  Ns held = 0;    ///< the same in the pre-queued pass
  GapCause label = GapCause::Undecided;  ///< what most of the normal gaps here are labelled
  std::uint32_t labelled = 0;            ///< so many of them
  std::uint32_t count = 0;               ///< of so many
  ExperimentResult result = ExperimentResult::Device;
  Ns hostCost() const { return normal - held; }
  bool operator==(const PrequeuedGap&) const = default;
};

/// The normal passes of an implementation beside its pre-queued pass. Medians over iterations, in ns.
struct PrequeuedComparison {
  std::string whyNoGaps;  ///< set: the kernels differ, so there is nothing to compare gap by gap
  std::vector<PrequeuedGap> gaps;
  Ns latencyNormal = 0;
  Ns latencyHeld = 0;
  Ns gapNormal = 0;  ///< of an iteration, all gaps together
  Ns gapHeld = 0;
  Ns hostNormal = 0;  ///< host and instrument parts of an iteration's gaps
  Ns hostHeld = 0;    ///< must be 0
  bool operator==(const PrequeuedComparison&) const = default;
};

/// Compares passes that have a number. `tick` is the device's step of timestamps: what changes by no more
/// than two of them, or by a tenth, did not change.
PrequeuedComparison comparePrequeued(std::span<const Pass* const> normal, const Pass& held, Ns tick);

}  // namespace opscope
