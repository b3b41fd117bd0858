// SPDX-License-Identifier: Apache-2.0
#include "session/earlier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <set>

#include "base/format.h"
#include "session/comparison.h"
#include "session/device_record.h"
#include "session/kept.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

// Settings that make one device two. What else differs is said, and compared all the same: a newer driver
// that made an op slower is what a gate is for.
constexpr std::array<std::string_view, 2> kClockSettings{"locked clocks", "power limit"};

const ImplementationResult& resultOf(const Run& run, std::uint32_t implementation) {
  return run.implementations.at(implementation);
}

std::string rowText(const Run& run, const std::string& implementation) {
  return fmt::format("{} {} {} by {}", run.op, run.workload.empty() ? dimensionsText(run) : run.workload,
                     run.dtype, implementation);
}

std::string deviceText(const Run& run) {
  const std::string uuid = valueIn(run.environment, "device uuid");
  return fmt::format("{} ({})", run.deviceName, uuid.empty() ? run.deviceId : uuid);
}

// A device without a uuid is the machine itself, which its processor and their number tell from others.
bool isSameDevice(const Run& a, const Run& b) {
  if (a.figures != b.figures || a.deviceName != b.deviceName) return false;
  const std::string uuid = valueIn(a.environment, "device uuid");
  if (uuid != valueIn(b.environment, "device uuid")) return false;
  return !uuid.empty() || (a.deviceId == b.deviceId &&
                           valueIn(a.environment, "cpu threads") == valueIn(b.environment, "cpu threads"));
}

std::string otherSettings(const Run& now, const Run& then) {
  for (const EnvironmentDifference& difference : environmentDifferences(then.environment, now.environment))
    if (std::find(kClockSettings.begin(), kClockSettings.end(), difference.name) != kClockSettings.end())
      return textOf(difference);
  return {};
}

std::string otherClock(std::optional<double> now, std::optional<double> then) {
  if (!now || !then || *now <= 0 || *then <= 0) return {};
  if (std::max(*now, *then) / std::min(*now, *then) - 1 < kClockDifference) return {};
  return fmt::format("the SM clock during its passes was {:.0f} MHz, now {:.0f} MHz", *then, *now);
}

std::optional<ErrorInfo> whyNotComparable(const Run& now, std::uint32_t implementation, const Run& then,
                                          std::uint32_t earlierImplementation) {
  const auto other = otherKey(now, implementation, then, earlierImplementation);
  if (!other) return std::nullopt;
  return ErrorInfo{ErrorCode::BadInput,
                   fmt::format("The baseline of {} cannot be used: {}",
                               rowText(now, resultOf(now, implementation).name), other->what),
                   other->remedy,
                   {}};
}

struct Candidate {
  std::shared_ptr<const Run> run;
  std::uint32_t implementation = 0;
};

// The latest first, those that were cut short behind all others.
std::vector<Candidate> candidatesFor(const Run& now, std::uint32_t implementation,
                                     std::span<const std::shared_ptr<const Run>> earlier) {
  std::vector<Candidate> found;
  for (const auto& run : std::ranges::reverse_view(earlier)) {
    if (!isSameWork(now, *run)) continue;
    for (std::uint32_t i = 0; i < run->implementations.size(); ++i) {
      const ImplementationResult& result = resultOf(*run, i);
      if (result.name == resultOf(now, implementation).name && result.hasNumber() && result.busy.median > 0)
        found.push_back({run, i});
    }
  }
  std::ranges::stable_partition(found, [](const Candidate& candidate) { return !candidate.run->cancelled; });
  return found;
}

std::vector<double> passMedians(const Run& run, std::uint32_t implementation) {
  std::vector<double> medians;
  for (const Pass* pass : run.passesOf(implementation))
    if (const double median = busyOf(*pass).median; median > 0) medians.push_back(median);
  return medians;
}

std::optional<RatioInterval> rangeOf(const std::vector<double>& now, const std::vector<double>& then) {
  if (now.size() < kPassesForRange || then.size() < kPassesForRange) return std::nullopt;
  const auto [nowLow, nowHigh] = std::minmax_element(now.begin(), now.end());
  const auto [thenLow, thenHigh] = std::minmax_element(then.begin(), then.end());
  return RatioInterval{*nowLow / *thenHigh, *nowHigh / *thenLow};
}

std::set<std::string> kernelsOf(const Run& run, std::uint32_t implementation) {
  std::set<std::string> names;
  for (const Pass* pass : run.passesOf(implementation)) names.merge(kernelNamesOf(*pass));
  return names;
}

std::vector<std::string> onlyIn(const std::set<std::string>& these, const std::set<std::string>& others) {
  std::vector<std::string> only;
  std::set_difference(these.begin(), these.end(), others.begin(), others.end(), std::back_inserter(only));
  return only;
}

std::vector<std::string> differencesOf(const Run& now, std::uint32_t implementation, const Run& then,
                                       std::uint32_t earlierImplementation) {
  std::vector<std::string> differences;
  for (const EnvironmentDifference& difference : environmentDifferences(then.environment, now.environment))
    differences.push_back(textOf(difference));
  const bool clocks =
      observedSmClock(now.passesOf(implementation)) && observedSmClock(then.passesOf(earlierImplementation));
  if (now.figures == "GPU" && !clocks)
    differences.emplace_back("the SM clock of one side is not known, so another clock would not be noticed");
  const auto wrong = [](const ImplementationResult& result) {
    return result.verification.state == VerificationRecord::State::Failed;
  };
  if (then.cancelled) differences.emplace_back("the measurement of the baseline was cut short");
  if (now.cancelled) differences.emplace_back("this measurement was cut short");
  if (wrong(resultOf(then, earlierImplementation)))
    differences.emplace_back("the baseline computed a wrong result");
  if (wrong(resultOf(now, implementation))) differences.emplace_back("it computes a wrong result now");
  return differences;
}

// One name in a sentence, and how many more there are.
std::string namesText(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {} more", names.front(), names.size() - 1);
}

std::string kernelsText(const std::string& name, const AgainstEarlier& row) {
  if (row.kernelsOnlyThen.empty() && row.kernelsOnlyNow.empty()) return {};
  return fmt::format(
      "{} ran other kernels than in the baseline (only then: {}; only now: {}): the times are not of one "
      "thing. ",
      name, namesText(row.kernelsOnlyThen), namesText(row.kernelsOnlyNow));
}

std::string evidenceText(const Run& run, const AgainstEarlier& row) {
  const double now = resultOf(run, row.implementation).busy.median;
  const double then = resultOf(*row.earlier, row.earlierImplementation).busy.median;
  std::string text = fmt::format("{} against {} ({}), ratio {}", formatNs(now), formatNs(then),
                                 dateText(row.earlier->startedUnixNs), ratioNumber(row.ratio));
  if (row.range)
    text += fmt::format(", each pass now against each pass then {} to {}", ratioNumber(row.range->low),
                        ratioNumber(row.range->high));
  return text;
}

std::string verdictPart(const std::string& name, const std::string& evidence, const AgainstEarlier& row) {
  if (!row.range)
    return fmt::format(
        "Undecided between {} and the baseline: {}; fewer than {} passes on a side do not tell how far apart "
        "passes are: measure both with --blocks 6.",
        name, evidence, kPassesForRange);
  const std::string threshold = thresholdText(row.threshold);
  switch (row.verdict) {
    case Verdict::Faster:
    case Verdict::Slower:
      return fmt::format("{} is {} than in the baseline: {}, all of it beyond {}.", name, nameOf(row.verdict),
                         evidence, threshold);
    case Verdict::Same:
      return fmt::format("{} is as fast as in the baseline: {}, all of it within {}.", name, evidence,
                         threshold);
    case Verdict::Undecided:
      break;
  }
  return fmt::format("Undecided between {} and the baseline: {} crosses the threshold of {}.", name, evidence,
                     threshold);
}

}  // namespace

bool isSameWork(const Run& a, const Run& b) {
  return a.op == b.op && a.workload == b.workload && a.dims == b.dims && a.dtype == b.dtype;
}

std::optional<OtherKey> otherKey(const Run& now, std::uint32_t implementation, const Run& then,
                                 std::uint32_t earlierImplementation) {
  if (!isSameDevice(now, then))
    return OtherKey{fmt::format("it was measured on another device, {}, and this on {}", deviceText(then),
                                deviceText(now)),
                    "Measure the baseline on this device, or choose that device with --device."};
  if (now.method != then.method)
    return OtherKey{fmt::format("its method was {}, now {}", then.method, now.method),
                    "Measure both by one method."};
  if (now.l2 != then.l2)
    return OtherKey{fmt::format("L2 was {} before each call, now {}", then.l2, now.l2),
                    "Measure both with the same --l2."};
  std::string clocks = otherSettings(now, then);
  if (clocks.empty())
    clocks = otherClock(observedSmClock(now.passesOf(implementation)),
                        observedSmClock(then.passesOf(earlierImplementation)));
  if (!clocks.empty())
    return OtherKey{fmt::format("it was measured at other clocks: {}", clocks),
                    "Lock the clocks for both, or measure the baseline again."};
  return std::nullopt;
}

AgainstEarlier compareWithEarlier(const Run& run, std::uint32_t implementation,
                                  std::span<const std::shared_ptr<const Run>> earlier,
                                  std::optional<double> asked) {
  AgainstEarlier row;
  row.implementation = implementation;
  const ImplementationResult& result = resultOf(run, implementation);
  if (!result.hasNumber() || result.busy.median <= 0) {
    row.refusal =
        ErrorInfo{ErrorCode::BadInput,
                  fmt::format("{} has no number to compare with the baseline", rowText(run, result.name)),
                  "Its own failure says why.",
                  {}};
    return row;
  }
  const std::vector<Candidate> candidates = candidatesFor(run, implementation, earlier);
  if (candidates.empty())
    row.refusal =
        ErrorInfo{ErrorCode::BadInput,
                  fmt::format("The baseline has no number of {}", rowText(run, result.name)),
                  "`opscope show` lists what it has; measure what is missing into it with --session.",
                  {}};
  for (const Candidate& candidate : candidates) {
    auto reason = whyNotComparable(run, implementation, *candidate.run, candidate.implementation);
    if (!reason) {
      row.refusal.reset();
      row.earlier = candidate.run;
      row.earlierImplementation = candidate.implementation;
      break;
    }
    if (!row.refusal) row.refusal = std::move(reason);  // of the latest
  }
  if (row.refusal) return row;
  const Run& then = *row.earlier;
  const double before = resultOf(then, row.earlierImplementation).busy.median;
  row.ratio = result.busy.median / before;
  row.range = rangeOf(passMedians(run, implementation), passMedians(then, row.earlierImplementation));
  row.threshold = raisedTo(
      thresholdFor(run.noiseFloor ? std::optional(run.noiseFloor->share) : std::nullopt,
                   std::max(run.timestampTick, then.timestampTick), std::min(result.busy.median, before)),
      asked);
  if (row.range) row.verdict = judge(*row.range, row.threshold).verdict;
  const auto kernelsNow = kernelsOf(run, implementation);
  const auto kernelsThen = kernelsOf(then, row.earlierImplementation);
  row.kernelsOnlyNow = onlyIn(kernelsNow, kernelsThen);
  row.kernelsOnlyThen = onlyIn(kernelsThen, kernelsNow);
  row.differences = differencesOf(run, implementation, then, row.earlierImplementation);
  return row;
}

std::string earlierSentence(const Run& run, const AgainstEarlier& row) {
  if (row.refusal) return describe(*row.refusal);
  const std::string& name = resultOf(run, row.implementation).name;
  std::string sentence = kernelsText(name, row) + verdictPart(name, evidenceText(run, row), row);
  if (!row.differences.empty()) sentence += fmt::format(" Also: {}.", fmt::join(row.differences, "; "));
  return sentence;
}

}  // namespace opscope
