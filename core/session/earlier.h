// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope {

/// Fewer passes on a side do not tell how far apart passes are: of four and four that are alike, all of one
/// side lie above all of the other once in 70.
inline constexpr std::size_t kPassesForRange = 4;

/// An implementation against the same one in an earlier session. No mirrored block holds both, so that what
/// changed between the sessions does not cancel: the verdict is by how the passes of the two lie to each
/// other, each against each (docs/method.md).
struct AgainstEarlier {
  std::uint32_t implementation = 0;    ///< into the run's implementations
  std::shared_ptr<const Run> earlier;  ///< what it was compared with; null after a refusal
  std::uint32_t earlierImplementation = 0;
  std::optional<ErrorInfo> refusal;  ///< set: why the two cannot be compared; nothing below is then set
  double ratio = 0;                  ///< of the pooled medians, now / then
  /// The fastest pass now over the slowest then, and the slowest now over the fastest then; absent with fewer
  /// than kPassesForRange passes on a side.
  std::optional<RatioInterval> range;
  Threshold threshold;
  Verdict verdict = Verdict::Undecided;  ///< slower: slower now
  std::vector<std::string> kernelsOnlyThen;
  std::vector<std::string> kernelsOnlyNow;
  std::vector<std::string> differences;  ///< "driver was 575.1, now 580.2"
};

/// The same op, workload, dimensions and dtype.
bool isSameWork(const Run& a, const Run& b);

/// Why two numbers of the same work are not under one key.
struct OtherKey {
  std::string what;  ///< "its method was cupti, now events"
  std::string remedy;
};
/// Absent where device, method, state of L2 and clocks are the same, as far as both say them.
std::optional<OtherKey> otherKey(const Run& now, std::uint32_t implementation, const Run& then,
                                 std::uint32_t earlierImplementation);

/// Against the latest run of `earlier` that has the same op, workload, dimensions and dtype with a number of
/// an implementation of that name; one that was cut short only where there is no other. Refused, with a
/// BadInput: there is none, this one has no number, or it was measured on another device, by another method,
/// with another state of L2 or at other clocks. `asked`: a threshold, as a share, where the largest of noise
/// floor, timestamps and 1 % is less. Throws nothing of its own.
AgainstEarlier compareWithEarlier(const Run& run, std::uint32_t implementation,
                                  std::span<const std::shared_ptr<const Run>> earlier,
                                  std::optional<double> asked = {});

/// "one-pass is slower than in the baseline: ...": other kernels first, then the verdict with its evidence,
/// then what else differs.
std::string earlierSentence(const Run& run, const AgainstEarlier& row);

}  // namespace opscope
