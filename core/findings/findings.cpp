// SPDX-License-Identifier: Apache-2.0
#include "findings/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/format.h"

namespace opscope {
namespace {

using Severity = Finding::Severity;

// Thresholds, each with the reason for its size.
constexpr double kIdleShareWorthSaying = 0.05;  // below, idle time drowns in the spread of most ops
constexpr std::uint64_t kFewSamples =
    20;                               // p10 and p90 of fewer rest on the two outermost values of each side
constexpr double kWideSpread = 1.10;  // p90 over median: a tenth slower is a different iteration, not jitter
constexpr double kClockDifference = 0.02;  // SM clock between passes: larger than what a comparison resolves

// What a rule looks at: one implementation that has a number, and its passes.
struct Subject {
  const Run& run;
  std::int32_t index;
  const ImplementationResult& result;
  std::vector<std::uint32_t> passes;  // into Run::passes
};

Finding finding(const Subject& subject, Severity severity, std::string rule, std::string sentence) {
  Finding found;
  found.severity = severity;
  found.rule = std::move(rule);
  found.sentence = std::move(sentence);
  found.implementation = subject.index;
  return found;
}

// Points at the largest gap of a cause, so that a click on the sentence shows its evidence.
void pointAtLargestGap(const Subject& subject, GapCause cause, Finding& found) {
  Ns longest = -1;
  for (const std::uint32_t p : subject.passes) {
    const auto& gaps = subject.run.passes[p]->gaps;
    for (std::size_t g = 0; g < gaps.size(); ++g) {
      if (gaps[g].cause != cause || gaps[g].length() <= longest) continue;
      longest = gaps[g].length();
      found.pass = static_cast<std::int32_t>(p);
      found.iteration = static_cast<std::int32_t>(gaps[g].iteration);
      found.gap = static_cast<std::int32_t>(g);
    }
  }
}

std::uint64_t iterationsOf(const Subject& subject) {
  return subject.result.busy.n;
}

void idleByCause(const Subject& subject, std::vector<Finding>& out) {
  static constexpr std::array<std::string_view, kGapCauses> kMeaning{
      "the clocks of host and device disagree about the next kernel's launch",
      "no launch call was recorded for the next kernel",
      "between kernels of one graph launch",
      "a copy or fill ran meanwhile",
      "the instrument itself held the host",
      "the next kernel was issued after the device went idle",
      "the next kernel was issued before the device went idle, but too late to hide the launch latency",
      "the next kernel had been issued in time and waited on the device",
      "the uncertainty of the clocks spans two causes",
  };
  // Sum against sum: one preempted iteration must not make idle time look larger than the whole.
  Ns latency = 0;
  for (const std::uint32_t p : subject.passes)
    for (const Sample& sample : subject.run.passes[p]->samples) latency += sample.latency;
  if (latency <= 0) return;
  std::uint64_t gaps = 0;
  for (const GapTotal& total : subject.result.gaps) gaps += total.count;
  for (std::size_t cause = 0; cause < subject.result.gaps.size(); ++cause) {
    const GapTotal& total = subject.result.gaps[cause];
    const double share = static_cast<double>(total.time) / static_cast<double>(latency);
    if (total.count == 0 || share < kIdleShareWorthSaying) continue;
    const auto name = nameOf(static_cast<GapCause>(cause));
    const bool hostCaused = static_cast<GapCause>(cause) == GapCause::HostLate;
    Finding found = finding(
        subject, hostCaused ? Severity::Warning : Severity::Note, fmt::format("idle-{}", name),
        fmt::format(
            "{}: {} of {} gaps are {}, {} per iteration, {} of the latency, in {} of {} iterations: {}.",
            subject.result.name, total.count, gaps, name,
            formatNs(static_cast<double>(total.time) / static_cast<double>(iterationsOf(subject))),
            formatShare(share), total.iterations, iterationsOf(subject), kMeaning[cause]));
    pointAtLargestGap(subject, static_cast<GapCause>(cause), found);
    out.push_back(std::move(found));
  }
}

void memopsOutsideBusy(const Subject& subject, std::vector<Finding>& out) {
  if (subject.result.memopsMedian <= 0) return;
  out.push_back(finding(
      subject, Severity::Warning, "memops-outside-busy",
      fmt::format("{}: the call makes {} copies or fills, {} per iteration, that busy does not count.",
                  subject.result.name, formatNumber(subject.result.memopsMedian),
                  formatNs(static_cast<double>(subject.result.memopTimeMedian)))));
}

void fewSamples(const Subject& subject, std::vector<Finding>& out) {
  if (iterationsOf(subject) >= kFewSamples) return;
  out.push_back(finding(
      subject, Severity::Note, "few-samples",
      fmt::format("{}: p10 and p90 come from {} samples{}.", subject.result.name, iterationsOf(subject),
                  subject.result.iterationCost > 10 * kMillisecond
                      ? ", because one call takes more than 10 ms"
                      : "")));
}

void changingKernelCount(const Subject& subject, std::vector<Finding>& out) {
  if (subject.result.kernelsMin == subject.result.kernelsMax) return;
  out.push_back(
      finding(subject, Severity::Warning, "changing-kernel-count",
              fmt::format("{}: the number of kernels changes from call to call, {} to {} (median {}).",
                          subject.result.name, subject.result.kernelsMin, subject.result.kernelsMax,
                          formatNumber(subject.result.kernelsMedian))));
}

void wideSpread(const Subject& subject, std::vector<Finding>& out) {
  const Summary& busy = subject.result.busy;
  if (busy.median <= 0 || busy.p90 / busy.median < kWideSpread) return;
  out.push_back(finding(
      subject, Severity::Note, "wide-spread",
      fmt::format("{}: p90 of busy is {} above the median ({} against {}).", subject.result.name,
                  formatShare(busy.p90 / busy.median - 1), formatNs(busy.p90), formatNs(busy.median))));
}

std::set<std::string> kernelNamesOf(const Pass& pass) {
  std::set<std::uint32_t> ids;
  const Attribution attribution = groupByIteration(pass.trace);
  for (const std::uint32_t k : attribution.kernels) ids.insert(pass.trace.kernels[k].nameId);
  std::set<std::string> names;
  for (const std::uint32_t id : ids) names.insert(pass.trace.names.text(id));
  return names;
}

void differentKernels(const Subject& subject, std::vector<Finding>& out) {
  if (subject.passes.size() < 2) return;
  const auto first = kernelNamesOf(*subject.run.passes[subject.passes.front()]);
  for (const std::uint32_t p : subject.passes) {
    if (kernelNamesOf(*subject.run.passes[p]) == first) continue;
    Finding found =
        finding(subject, Severity::Warning, "different-kernels",
                fmt::format("{}: pass {} ran other kernels than pass {}; their times are not of one thing.",
                            subject.result.name, p + 1, subject.passes.front() + 1));
    found.pass = static_cast<std::int32_t>(p);
    out.push_back(std::move(found));
    return;
  }
}

void clockDifference(const Subject& subject, std::vector<Finding>& out) {
  std::optional<std::pair<int, std::uint32_t>> low, high;
  for (const std::uint32_t p : subject.passes) {
    const auto& telemetry = subject.run.passes[p]->telemetry;
    if (telemetry.empty() || !telemetry.back().smClockMhz) continue;
    const std::pair at{*telemetry.back().smClockMhz, p};
    if (!low || at.first < low->first) low = at;
    if (!high || at.first > high->first) high = at;
  }
  if (!low || low->first <= 0 || static_cast<double>(high->first) / low->first - 1 < kClockDifference) return;
  Finding found = finding(subject, Severity::Warning, "clock-difference",
                          fmt::format("{}: pass {} ended at {} MHz, pass {} at {} MHz.", subject.result.name,
                                      high->second + 1, high->first, low->second + 1, low->first));
  found.pass = static_cast<std::int32_t>(low->second);
  out.push_back(std::move(found));
}

void wrongResult(const Subject& subject, std::vector<Finding>& out) {
  if (subject.result.verification.state != VerificationRecord::State::Failed) return;
  out.push_back(finding(
      subject, Severity::Warning, "wrong-result",
      fmt::format("{}: measured although its result is WRONG (worst error {:.3g} at {}, allowed {:.3g}).",
                  subject.result.name, subject.result.verification.worst, subject.result.verification.where,
                  subject.result.verification.tolerance)));
}

void measuredAgain(const Subject& subject, std::vector<Finding>& out) {
  for (const std::uint32_t p : subject.passes) {
    const Pass& pass = *subject.run.passes[p];
    if (pass.attempts <= 1) continue;
    out.push_back(finding(
        subject, Severity::Note, "measured-again",
        fmt::format("{}: records were lost; what is shown is attempt {} with a record buffer of {}.",
                    subject.result.name, pass.attempts, formatBytes(static_cast<double>(pass.bufferBytes)))));
    return;
  }
}

using Rule = void (*)(const Subject&, std::vector<Finding>&);
constexpr std::array<Rule, 9> kRules{wrongResult, differentKernels,  changingKernelCount,
                                     idleByCause, memopsOutsideBusy, clockDifference,
                                     wideSpread,  fewSamples,        measuredAgain};

}  // namespace

std::vector<Finding> findIn(const Run& run) {
  std::vector<Finding> found;
  for (std::size_t i = 0; i < run.implementations.size(); ++i) {
    const ImplementationResult& result = run.implementations[i];
    if (!result.hasNumber()) continue;
    Subject subject{run, static_cast<std::int32_t>(i), result, {}};
    for (std::uint32_t p = 0; p < run.passes.size(); ++p)
      if (run.passes[p]->implementation == i) subject.passes.push_back(p);
    for (const Rule rule : kRules) rule(subject, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return found;
}

}  // namespace opscope
