// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"

namespace opscope {

/// How much is measured, and in what state of the caches. The defaults are the method's.
struct Protocol {
  L2Mode l2 = L2Mode::Clean;
  Ns warmupBudget = 25 * kMillisecond;    ///< per implementation, over all its passes of one block
  Ns measureBudget = 100 * kMillisecond;  ///< likewise
  std::uint32_t minIterations = 10;       ///< bounds of a budget's count, likewise split over the passes
  std::uint32_t maxIterations = 200;
  std::optional<std::uint32_t> iterations;  ///< per implementation and block, instead of the budget's count
  std::uint32_t blocks = 1;                 ///< mirrored rounds of a comparison
  std::optional<Ns> settleLimit;  ///< of the phase before the first block; 0: none. Unset: the method's
  std::int64_t bufferBytes = 256 * 1024;
  std::uint32_t settleIterations =
      4;                       ///< labelled prepare after enabling: the instrument's start-up lands there
  std::uint32_t copies = 1;    ///< of the call's tensors, that it cycles through: L2Mode::Rotate
  Ns holdPatience = 0;         ///< not 0: a pre-queued pass, whose hold ends by itself after this long
  std::uint32_t attempts = 3;  ///< how often a pass with lost records is measured
  bool telemetry = true;       ///< read the device's sensors during passes
};

/// How long a comparison may settle before its first block: what was asked for, else 3 s where there are
/// enough blocks for an interval, and not at all (0) where there are fewer.
Ns settleLimitOf(const Protocol& protocol);

/// By how much the record buffer grows when a pass has lost records and is measured again.
inline constexpr std::int64_t kBufferGrowth = 4;

/// How often one pass of an implementation runs.
struct PassCounts {
  std::uint32_t warmups = 0;
  std::uint32_t iterations = 0;
};

/// With clears that are no part of a budget, calls and clears together take at most so many budgets.
inline constexpr Ns kWithClears = 5;

/// Budgets divided by what an iteration costs, clamped; split over `passes` passes (1 for a run, 2 in a
/// mirrored block, with half the bounds). `clearCost`: of a clear that `iterationCost` leaves out; then the
/// clears bound the counts as well (kWithClears).
PassCounts countsFor(const Protocol& protocol, Ns iterationCost, std::uint32_t passes, Ns clearCost = 0);

/// The state of the caches as it is to be shown: "clean", "rotate (12 copies)".
std::string l2LabelOf(const Device& device, const Protocol& protocol);

/// The implementations in the order in which a comparison's passes run: mirrored blocks A B C C B A, each
/// next block starting one further (B C A A C B). One implementation alone is one pass per block.
std::vector<std::uint32_t> passOrder(std::uint32_t implementations, std::uint32_t block);

}  // namespace opscope
