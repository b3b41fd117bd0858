// SPDX-License-Identifier: Apache-2.0
#include "session/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "session/kept.h"
#include "session/noise_file.h"

namespace opscope {
namespace {

PassReading readingOf(const Pass& pass) {
  const Summary busy = busyOf(pass);
  return {pass.implementation, pass.block, pass.position, busy.median, busy.iqr, middleOf(pass)};
}

const std::string& nameIn(const Run& run, std::uint32_t implementation) {
  return run.implementations.at(implementation).name;
}

std::string blocksText(std::size_t blocks) {
  return fmt::format("{} {}", blocks, blocks == 1 ? "block" : "blocks");
}

// "1 %" as a threshold is read, not as a measurement with four digits.
std::string percentText(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

// Times of one implementation that ran different kernels are not of one thing: said before any "slower". The
// finding has looked; the passes are not searched again for every sentence.
std::string kernelWarning(const Run& run, std::uint32_t implementation) {
  for (const Finding& finding : run.findings)
    if (finding.rule == "different-kernels" &&
        finding.implementation == static_cast<std::int32_t>(implementation))
      return fmt::format("{} ran different kernels in different passes. ", nameIn(run, implementation));
  return {};
}

}  // namespace

std::string thresholdText(const Threshold& threshold) {
  switch (threshold.source) {
    case Threshold::Source::NoiseFloor:
      return fmt::format("{} (this device's noise floor)", percentText(threshold.share));
    case Threshold::Source::Tick:
      return fmt::format("{} (one step of the timestamps)", percentText(threshold.share));
    case Threshold::Source::Asked:
      return fmt::format("{} (as asked)", percentText(threshold.share));
    case Threshold::Source::Method:
      break;
  }
  return percentText(threshold.share);
}

std::string ratioNumber(double ratio) {
  return ratio >= 0.1 && ratio < 10 ? fmt::format("{:.4f}", ratio) : formatNumber(ratio);
}

std::optional<BlockComparison> compareImplementations(const Run& run, std::optional<std::uint32_t> baseline) {
  std::vector<double> pooled;
  std::optional<std::uint32_t> first;
  std::size_t numbers = 0;
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    const ImplementationResult& result = run.implementations[i];
    pooled.push_back(result.hasNumber() ? result.busy.median : 0);
    if (pooled.back() <= 0) continue;
    ++numbers;
    if (!first) first = i;
  }
  if (numbers < 2) return std::nullopt;
  std::vector<PassReading> readings;
  for (const auto& pass : run.passes)
    if (pass->implementation < pooled.size() && pooled[pass->implementation] > 0)
      readings.push_back(readingOf(*pass));
  const bool usable = baseline && *baseline < pooled.size() && pooled[*baseline] > 0;
  return compareInBlocks({readings, pooled, usable ? *baseline : *first, run.timestampTick,
                          run.noiseFloor ? std::optional(run.noiseFloor->share) : std::nullopt});
}

std::string verdictSentence(const Run& run, const BlockComparison& comparison, const AgainstBaseline& row) {
  const std::string& name = nameIn(run, row.implementation);
  const std::string& baseline = nameIn(run, comparison.baseline);
  const std::string warning =
      kernelWarning(run, row.implementation) + kernelWarning(run, comparison.baseline);
  if (!row.ratio)
    return fmt::format("{}No verdict on {} against {}: no block has both passes of both.", warning, name,
                       baseline);
  const std::string ratio = ratioNumber(*row.ratio);
  const std::uint32_t enough = suggestedBlocks(static_cast<std::uint32_t>(run.implementations.size()));
  if (!row.interval)
    return row.reason == VerdictReason::OneBlock
               ? fmt::format(
                     "{}No verdict on {} against {}: ratio {}; one block cancels linear drift but gives "
                     "no interval: --blocks {}.",
                     warning, name, baseline, ratio, enough)
               : fmt::format(
                     "{}No verdict on {} against {}: ratio {}; an interval needs {} blocks, and {} are "
                     "complete: --blocks {}.",
                     warning, name, baseline, ratio, kBlocksForInterval, row.blocks.size(), enough);
  const std::string evidence =
      fmt::format("ratio {}, 95 % interval {} to {} over {}", ratio, ratioNumber(row.interval->low),
                  ratioNumber(row.interval->high), blocksText(row.blocks.size()));
  const std::string threshold = thresholdText(row.threshold);
  switch (row.verdict) {
    case Verdict::Faster:
    case Verdict::Slower:
      return fmt::format("{}{} is {} than {}: {}, all of it beyond {}.", warning, name, nameOf(row.verdict),
                         baseline, evidence, threshold);
    case Verdict::Same:
      return fmt::format("{}{} is as fast as {}: {}, all of it within {}.", warning, name, baseline, evidence,
                         threshold);
    case Verdict::Undecided:
      break;
  }
  return fmt::format("{}Undecided between {} and {}: {} crosses the threshold of {}.", warning, name,
                     baseline, evidence, threshold);
}

std::string driftSentence(const BlockComparison& comparison) {
  if (!comparison.drift) return {};
  const DriftEstimate& drift = *comparison.drift;
  return fmt::format(
      "Drift: all times changed by {:+.2g} % from pass to pass (one every {}; {} mirrored {}).",
      100 * std::expm1(drift.perStep), formatNs(static_cast<double>(drift.step)), drift.pairs,
      drift.pairs == 1 ? "pair" : "pairs");
}

std::string fixedOrderSentence(const Run& run, const BlockComparison& comparison) {
  std::vector<std::string> claims;
  for (const AgainstBaseline& row : comparison.rows)
    if (row.fixedOrder && row.ratio)
      claims.push_back(fmt::format("{} {} (drift-free {})", nameIn(run, row.implementation),
                                   ratioNumber(*row.fixedOrder), ratioNumber(*row.ratio)));
  if (claims.empty()) return {};
  std::string order;
  for (std::size_t i = 0; i < std::min<std::size_t>(26, run.implementations.size()); ++i)
    order += fmt::format("{}{}", i == 0 ? "" : " ", static_cast<char>('A' + i));
  return fmt::format("A fixed order {}, each once, would have claimed against {}: {}.", order,
                     nameIn(run, comparison.baseline), fmt::join(claims, ", "));
}

std::vector<std::string> spreadSentences(const Run& run, const BlockComparison& comparison) {
  std::vector<std::string> sentences;
  for (const PassSpread& spread : comparison.spreads) {
    if (!spread.beyondIqr()) continue;
    sentences.push_back(
        fmt::format("{}: its passes differ by {} ({} to {}), more than the {} that one pass spreads over "
                    "(IQR): the pooled "
                    "median is biased, the drift-free ratio is not.",
                    nameIn(run, spread.implementation), percentText(spread.highest / spread.lowest - 1),
                    formatNs(spread.lowest), formatNs(spread.highest), formatNs(spread.iqr)));
  }
  return sentences;
}

std::string settlingSentence(const Run& run) {
  if (!run.settling) return {};
  const Settling& settling = *run.settling;
  std::string clocks;
  if (settling.firstClockMhz && settling.lastClockMhz)
    clocks = fmt::format(", SM clock {} to {} MHz", *settling.firstClockMhz, *settling.lastClockMhz);
  if (settling.settled)
    return fmt::format("Settled in {} before the first block{}.",
                       formatNs(static_cast<double>(settling.took)), clocks);
  return fmt::format("Not settled within the limit of {} before the first block{}: drift is to be expected.",
                     formatNs(static_cast<double>(settling.limit)), clocks);
}

std::string thresholdSentence(const Run& run) {
  if (const auto problem = run.environment.find(kNoiseProblem); problem != run.environment.end())
    return fmt::format("Warning: no noise floor is used: {}", problem->second);
  if (!run.noiseFloor)
    return "Threshold 1 %, or one step of the timestamps where that is more: no noise floor of this device "
           "is "
           "known (opscope noise).";
  const NoiseFloor& floor = *run.noiseFloor;
  std::string sentence = fmt::format("Noise floor of this device {}, from A/A comparisons ({}).",
                                     percentText(floor.share), floor.measuredAt);
  if (!floor.differences.empty())
    sentence +=
        fmt::format(" It was measured in another environment: {}.", fmt::join(floor.differences, "; "));
  return sentence;
}

std::vector<std::string> comparisonSentences(const Run& run) {
  if (!run.comparison) return {};
  const BlockComparison& comparison = *run.comparison;
  std::vector<std::string> sentences;
  for (const AgainstBaseline& row : comparison.rows)
    sentences.push_back(verdictSentence(run, comparison, row));
  for (std::string& sentence : spreadSentences(run, comparison))
    sentences.push_back("Warning: " + std::move(sentence));
  for (const std::string& sentence :
       {driftSentence(comparison), fixedOrderSentence(run, comparison), settlingSentence(run)})
    if (!sentence.empty()) sentences.push_back(sentence);
  sentences.push_back(thresholdSentence(run));
  return sentences;
}

std::string ratioText(const AgainstBaseline& row) {
  if (!row.ratio) return "-";
  if (!row.interval) return ratioNumber(*row.ratio);
  return fmt::format("{} [{}, {}]", ratioNumber(*row.ratio), ratioNumber(row.interval->low),
                     ratioNumber(row.interval->high));
}

std::string verdictText(const AgainstBaseline& row) {
  if (row.verdict != Verdict::Undecided) return std::string(nameOf(row.verdict));
  return fmt::format("{} ({})", nameOf(row.verdict), nameOf(row.reason));
}

Run withBaseline(const Run& run, const std::string& name) {
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    if (run.implementations[i].name != name) continue;
    Run other = run;
    other.baseline = i;
    other.comparison = compareImplementations(other, i);
    return other;
  }
  throw UnknownName(fmt::format("The run of {} has no implementation '{}'", run.op, name),
                    "`opscope show` without --baseline lists those it has.");
}

}  // namespace opscope
