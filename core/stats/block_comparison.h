// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ns.h"

namespace opscope {

// Implementations against one of them, the baseline, from passes in mirrored blocks A B C C B A
// (docs/method.md). A ratio is implementation / baseline: below 1 the implementation is faster. All of this
// is pure.

/// What one pass of a comparison read.
struct PassReading {
  std::uint32_t implementation = 0;
  std::uint32_t block = 0;
  std::uint32_t position = 0;  ///< within its block
  double median = 0;           ///< of busy, in ns
  double iqr = 0;              ///< of busy, in ns
  Ns mid = 0;                  ///< the middle of its timed loop, on one clock for all passes
};

inline constexpr double kConfidence = 0.95;
/// Fewer blocks give no interval: with two degrees of freedom or less it is wider than what it is asked
/// about.
inline constexpr std::uint32_t kBlocksForInterval = 4;
/// The smallest multiple of the number of implementations that is at least 6: curvature cancels when every
/// implementation has stood at every place equally often.
std::uint32_t suggestedBlocks(std::uint32_t implementations);

/// What a ratio must exceed to count: as a share, 0.01 for 1 %.
struct Threshold {
  enum class Source : std::uint8_t {
    Method,      ///< 1 %
    NoiseFloor,  ///< what A/A comparisons of the device reach
    Tick,        ///< one step of the timestamps against the shorter of the two medians
    Asked,       ///< what was asked for, where that is more
  };
  double share = 0.01;
  Source source = Source::Method;
  bool operator==(const Threshold&) const = default;
};
std::string_view nameOf(Threshold::Source source);
Threshold::Source thresholdSourceFromName(std::string_view name);
/// The largest of the three. `median` in ns.
Threshold thresholdFor(std::optional<double> noiseFloor, Ns tick, double median);
/// That, or `asked` (a share) where it is larger: nothing that was asked for makes noise a finding.
Threshold raisedTo(Threshold threshold, std::optional<double> asked);

enum class Verdict : std::uint8_t { Undecided, Faster, Slower, Same };
std::string_view nameOf(Verdict verdict);
Verdict verdictFromName(std::string_view name);

/// Why the verdict is what it is.
enum class VerdictReason : std::uint8_t {
  BeyondThreshold,   ///< the whole interval lies beyond the threshold: faster or slower
  WithinThreshold,   ///< the whole interval lies inside: same
  CrossesThreshold,  ///< undecided
  OneBlock,          ///< no interval: linear drift cancels, and nothing says how much noise is left
  FewBlocks,         ///< no interval: two or three blocks
  NoCompleteBlock,   ///< no block has both passes of both
};
std::string_view nameOf(VerdictReason reason);
VerdictReason verdictReasonFromName(std::string_view name);

struct RatioInterval {
  double low = 0;
  double high = 0;
  bool operator==(const RatioInterval&) const = default;
};

struct Judgement {
  Verdict verdict = Verdict::Undecided;
  VerdictReason reason = VerdictReason::CrossesThreshold;
};
/// Faster or slower when the whole interval lies beyond the threshold, same when it lies inside. The
/// threshold is as far from 1 in logs on both sides, so that A against B is decided as B against A.
Judgement judge(const RatioInterval& interval, const Threshold& threshold);

struct BlockRatio {
  std::uint32_t block = 0;
  double ratio = 0;
  bool operator==(const BlockRatio&) const = default;
};

/// One implementation against the baseline.
struct AgainstBaseline {
  std::uint32_t implementation = 0;
  double pooled = 0;                      ///< ratio of the medians over all passes: drift biases it
  std::optional<double> ratio;            ///< drift-free: the geometric mean of `blocks`; absent without any
  std::optional<RatioInterval> interval;  ///< 95 %, paired t over blocks; absent below kBlocksForInterval
  std::vector<BlockRatio> blocks;         ///< those in which both have both passes
  std::optional<double> fixedOrder;       ///< what the first pass of each in block 0 would have claimed
  Threshold threshold;
  Verdict verdict = Verdict::Undecided;
  VerdictReason reason = VerdictReason::NoCompleteBlock;
  bool operator==(const AgainstBaseline&) const = default;
};

/// How far the passes of one implementation lie apart.
struct PassSpread {
  std::uint32_t implementation = 0;
  double lowest = 0;  ///< median of a pass, in ns
  double highest = 0;
  double iqr = 0;  ///< inside a pass: the median over its passes, at least one tick; in ns
  /// Then pooling all passes is biased, even with equal n.
  bool beyondIqr() const { return highest - lowest > iqr; }
  bool operator==(const PassSpread&) const = default;
};

/// How all times grew together while the passes ran: least squares of the mirrored differences over the
/// passes' middles. Linear in logs: 0.001 is +0.1 %.
struct DriftEstimate {
  double perStep = 0;  ///< from one pass to the next
  Ns step = 0;         ///< mean time between the middles of two passes
  std::uint32_t pairs = 0;
  bool operator==(const DriftEstimate&) const = default;
};

struct BlockComparison {
  std::uint32_t baseline = 0;
  std::vector<AgainstBaseline> rows;   ///< all others that have a number, in their order
  std::vector<PassSpread> spreads;     ///< of everyone with a number
  std::optional<DriftEstimate> drift;  ///< absent without a mirrored pair
  const AgainstBaseline* rowOf(std::uint32_t implementation) const;
  bool operator==(const BlockComparison&) const = default;
};

struct ComparisonInput {
  std::span<const PassReading>
      passes;                      ///< of implementations that have a number; any order, any may be missing
  std::span<const double> pooled;  ///< median over all passes by implementation, in ns; 0: no number
  std::uint32_t baseline = 0;      ///< has a number
  Ns timestampTick = 1;
  std::optional<double> noiseFloor;  ///< of the device, as a share
};
BlockComparison compareInBlocks(const ComparisonInput& input);
/// The same ratio, judged by a threshold of at least `asked`.
AgainstBaseline judgedFrom(AgainstBaseline row, std::optional<double> asked);

}  // namespace opscope
