// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/run.h"

namespace opscope {

/// The implementations of a run that have a number against one of them: the one asked for, where it has a
/// number, else the first that has. Absent when there are not two to compare. Throws nothing of its own.
std::optional<BlockComparison> compareImplementations(const Run& run,
                                                      std::optional<std::uint32_t> baseline = {});

// What a comparison says, in words. Command line, files and window print these and no others. The names are
// those of the run's implementations.

/// "eager is slower than one-pass: ratio 1.235, 95 % interval 1.229 to 1.240 over 6 blocks, all of it beyond
/// 1 %."
std::string verdictSentence(const Run& run, const BlockComparison& comparison, const AgainstBaseline& row);
/// How far the times drifted while the passes ran; empty when nothing is known of it.
std::string driftSentence(const BlockComparison& comparison);
/// What a fixed order A B C, each once, would have claimed; empty when its passes are not there.
std::string fixedOrderSentence(const Run& run, const BlockComparison& comparison);
/// A warning for every implementation whose passes differ by more than the spread inside one.
std::vector<std::string> spreadSentences(const Run& run, const BlockComparison& comparison);
/// How the phase before the first block ended; empty without one.
std::string settlingSentence(const Run& run);
/// Where the threshold of this run's device comes from.
std::string thresholdSentence(const Run& run);

/// All of them, in the order in which they are read; empty for a run that compares nothing.
std::vector<std::string> comparisonSentences(const Run& run);

/// "1 %", or "2.3 % (this device's noise floor)".
std::string thresholdText(const Threshold& threshold);
/// "1.2350": a ratio near 1 is read by what it differs from 1.
std::string ratioNumber(double ratio);
/// "1.235 [1.229, 1.240]", "1.235" without an interval, "-" without a ratio.
std::string ratioText(const AgainstBaseline& row);
/// "slower", or "undecided (one-block)": the word, with the reason where the word alone does not say it.
std::string verdictText(const AgainstBaseline& row);

/// The same run, compared with the implementation of that name. Throws UnknownName.
Run withBaseline(const Run& run, const std::string& name);

}  // namespace opscope
