// SPDX-License-Identifier: Apache-2.0
#include "stats/block_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error.h"
#include "stats/student_t.h"

namespace opscope {
namespace {

constexpr std::array<std::string_view, 4> kSources{"method", "noise-floor", "tick", "asked"};
constexpr std::array<std::string_view, 4> kVerdicts{"undecided", "faster", "slower", "same"};
constexpr std::array<std::string_view, 6> kReasons{"beyond-threshold",  "within-threshold",
                                                   "crosses-threshold", "one-block",
                                                   "few-blocks",        "no-complete-block"};

// A name that this version does not know reads as `otherwise`.
template <class Value, std::size_t N>
Value fromName(const std::array<std::string_view, N>& names, std::string_view name, Value otherwise) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Value>(i);
  return otherwise;
}

// The two passes of one implementation in one block.
struct MirroredPair {
  PassReading first;
  PassReading last;
};

// The two averaged in logs. As logs of ratios, not differences of logs, which lose digits.
double logRatio(const MirroredPair& pair, const MirroredPair& baseline) {
  return (std::log(pair.first.median / baseline.first.median) +
          std::log(pair.last.median / baseline.last.median)) /
         2;
}

using PairsByBlock = std::map<std::uint32_t, MirroredPair>;

bool usable(const PassReading& reading) {
  return reading.median > 0 && std::isfinite(reading.median);
}

// Only blocks in which the implementation has exactly its two passes: half a pair cancels nothing.
PairsByBlock pairsOf(std::span<const PassReading> passes, std::uint32_t implementation) {
  std::map<std::uint32_t, std::vector<PassReading>> byBlock;
  for (const PassReading& pass : passes)
    if (pass.implementation == implementation && usable(pass)) byBlock[pass.block].push_back(pass);
  PairsByBlock pairs;
  for (const auto& [block, readings] : byBlock) {
    if (readings.size() != 2) continue;
    const bool inOrder = readings[0].position < readings[1].position;
    pairs[block] = {readings[inOrder ? 0 : 1], readings[inOrder ? 1 : 0]};
  }
  return pairs;
}

std::optional<double> firstMedian(std::span<const PassReading> passes, std::uint32_t implementation) {
  const PassReading* first = nullptr;
  for (const PassReading& pass : passes)
    if (pass.implementation == implementation && pass.block == 0 && usable(pass) &&
        (first == nullptr || pass.position < first->position))
      first = &pass;
  return first == nullptr ? std::nullopt : std::optional(first->median);
}

RatioInterval intervalOf(const std::vector<double>& logs, double mean) {
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const auto n = static_cast<double>(logs.size());
  const double half =
      studentT(kConfidence, static_cast<unsigned>(logs.size() - 1)) * std::sqrt(squares / (n - 1) / n);
  return {std::exp(mean - half), std::exp(mean + half)};
}

void judgeRow(AgainstBaseline& row) {
  row.verdict = Verdict::Undecided;
  if (!row.interval) {
    row.reason = row.blocks.empty()       ? VerdictReason::NoCompleteBlock
                 : row.blocks.size() == 1 ? VerdictReason::OneBlock
                                          : VerdictReason::FewBlocks;
    return;
  }
  const Judgement judgement = judge(*row.interval, row.threshold);
  row.verdict = judgement.verdict;
  row.reason = judgement.reason;
}

AgainstBaseline against(const ComparisonInput& input, std::uint32_t implementation,
                        const PairsByBlock& baseline) {
  AgainstBaseline row;
  row.implementation = implementation;
  row.pooled = input.pooled[implementation] / input.pooled[input.baseline];
  row.threshold = thresholdFor(input.noiseFloor, input.timestampTick,
                               std::min(input.pooled[implementation], input.pooled[input.baseline]));
  std::vector<double> logs;
  double sum = 0;
  for (const auto& [block, pair] : pairsOf(input.passes, implementation)) {
    const auto other = baseline.find(block);
    if (other == baseline.end()) continue;
    logs.push_back(logRatio(pair, other->second));
    sum += logs.back();
    row.blocks.push_back({block, std::exp(logs.back())});
  }
  if (!logs.empty()) {
    const double mean = sum / static_cast<double>(logs.size());
    row.ratio = std::exp(mean);
    if (logs.size() >= kBlocksForInterval) row.interval = intervalOf(logs, mean);
  }
  const auto first = firstMedian(input.passes, implementation);
  const auto baselineFirst = firstMedian(input.passes, input.baseline);
  if (first && baselineFirst) row.fixedOrder = *first / *baselineFirst;
  judgeRow(row);
  return row;
}

PassSpread spreadOf(const ComparisonInput& input, std::uint32_t implementation) {
  PassSpread spread;
  spread.implementation = implementation;
  std::vector<double> iqrs;
  for (const PassReading& pass : input.passes) {
    if (pass.implementation != implementation || !usable(pass)) continue;
    spread.lowest = iqrs.empty() ? pass.median : std::min(spread.lowest, pass.median);
    spread.highest = std::max(spread.highest, pass.median);
    iqrs.push_back(pass.iqr);
  }
  if (iqrs.empty()) return spread;
  const auto middle = iqrs.begin() + static_cast<std::ptrdiff_t>(iqrs.size() / 2);
  std::nth_element(iqrs.begin(), middle, iqrs.end());
  // Times that differ by one step of the clock do not differ.
  spread.iqr = std::max(*middle, static_cast<double>(input.timestampTick));
  return spread;
}

// Minimises sum of (difference - slope * span)^2 over the mirrored pairs. Each pair is of one implementation,
// so that what the implementations differ by drops out.
std::optional<DriftEstimate> driftOf(const ComparisonInput& input) {
  double products = 0;
  double squares = 0;
  double spans = 0;
  double steps = 0;
  DriftEstimate drift;
  for (std::uint32_t i = 0; i < input.pooled.size(); ++i) {
    if (input.pooled[i] <= 0) continue;
    for (const auto& [block, pair] : pairsOf(input.passes, i)) {
      const auto span = static_cast<double>(pair.last.mid - pair.first.mid);
      if (span <= 0) continue;
      products += span * std::log(pair.last.median / pair.first.median);
      squares += span * span;
      spans += span;
      steps += static_cast<double>(pair.last.position - pair.first.position);
      ++drift.pairs;
    }
  }
  if (drift.pairs == 0 || steps <= 0) return std::nullopt;
  drift.step = std::llround(spans / steps);
  drift.perStep = products / squares * (spans / steps);
  return drift;
}

}  // namespace

std::uint32_t suggestedBlocks(std::uint32_t implementations) {
  constexpr std::uint32_t kEnough = 6;
  const std::uint32_t k = std::max<std::uint32_t>(1, implementations);
  return (kEnough + k - 1) / k * k;
}

Threshold thresholdFor(std::optional<double> noiseFloor, Ns tick, double median) {
  Threshold threshold;
  if (noiseFloor && *noiseFloor > threshold.share) threshold = {*noiseFloor, Threshold::Source::NoiseFloor};
  const double step = median > 0 ? static_cast<double>(tick) / median : 0;
  if (step > threshold.share) threshold = {step, Threshold::Source::Tick};
  return threshold;
}

Threshold raisedTo(Threshold threshold, std::optional<double> asked) {
  return asked && *asked > threshold.share ? Threshold{*asked, Threshold::Source::Asked} : threshold;
}

Judgement judge(const RatioInterval& interval, const Threshold& threshold) {
  const double slower = 1 + threshold.share;
  const double faster = 1 / slower;
  if (interval.low > slower) return {Verdict::Slower, VerdictReason::BeyondThreshold};
  if (interval.high < faster) return {Verdict::Faster, VerdictReason::BeyondThreshold};
  if (interval.low >= faster && interval.high <= slower)
    return {Verdict::Same, VerdictReason::WithinThreshold};
  return {Verdict::Undecided, VerdictReason::CrossesThreshold};
}

AgainstBaseline judgedFrom(AgainstBaseline row, std::optional<double> asked) {
  row.threshold = raisedTo(row.threshold, asked);
  judgeRow(row);
  return row;
}

BlockComparison compareInBlocks(const ComparisonInput& input) {
  if (input.baseline >= input.pooled.size() || input.pooled[input.baseline] <= 0)
    throw InternalError("A comparison was asked for with a baseline that has no number");
  BlockComparison comparison;
  comparison.baseline = input.baseline;
  const PairsByBlock baseline = pairsOf(input.passes, input.baseline);
  for (std::uint32_t i = 0; i < input.pooled.size(); ++i) {
    if (input.pooled[i] <= 0) continue;
    comparison.spreads.push_back(spreadOf(input, i));
    if (i != input.baseline) comparison.rows.push_back(against(input, i, baseline));
  }
  comparison.drift = driftOf(input);
  return comparison;
}

const AgainstBaseline* BlockComparison::rowOf(std::uint32_t implementation) const {
  for (const AgainstBaseline& row : rows)
    if (row.implementation == implementation) return &row;
  return nullptr;
}

std::string_view nameOf(Threshold::Source source) {
  return kSources.at(static_cast<std::size_t>(source));
}
Threshold::Source thresholdSourceFromName(std::string_view name) {
  return fromName(kSources, name, Threshold::Source::Method);
}
std::string_view nameOf(Verdict verdict) {
  return kVerdicts.at(static_cast<std::size_t>(verdict));
}
Verdict verdictFromName(std::string_view name) {
  return fromName(kVerdicts, name, Verdict::Undecided);
}
std::string_view nameOf(VerdictReason reason) {
  return kReasons.at(static_cast<std::size_t>(reason));
}
VerdictReason verdictReasonFromName(std::string_view name) {
  return fromName(kReasons, name, VerdictReason::NoCompleteBlock);
}

}  // namespace opscope
