// SPDX-License-Identifier: Apache-2.0
// Why the device was idle inside a call.
#include <fmt/format.h>

#include <array>

#include "findings/rules.h"

namespace opscope::findings {
namespace {

using Severity = Finding::Severity;

// Below, idle time drowns in the spread of most ops; and below, nobody would gain by a cheaper instrument.
constexpr double kIdleShareWorthSaying = 0.05;
constexpr double kInstrumentShareWorthSaying = 0.05;

constexpr std::array<std::string_view, kGapCauses> kMeaning{
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

// Points at the largest gap of a kind, so that a click on the sentence shows its evidence.
template <class Size>
void pointAtLargest(const Subject& subject, Size size, Builder& builder) {
  Ns largest = 0;
  for (const std::uint32_t p : subject.passes) {
    const auto& gaps = subject.run.passes[p]->gaps;
    for (std::size_t g = 0; g < gaps.size(); ++g) {
      if (size(gaps[g]) <= largest) continue;
      largest = size(gaps[g]);
      builder.at(p, gaps[g].iteration, static_cast<std::int64_t>(g));
    }
  }
}

// Sum against sum: one preempted iteration must not make idle time look larger than the whole.
Ns latencyOf(const Subject& subject) {
  Ns latency = 0;
  for (const std::uint32_t p : subject.passes)
    for (const Sample& sample : subject.run.passes[p]->samples) latency += sample.latency;
  return latency;
}

void idleByCause(const Subject& subject, std::vector<Finding>& out) {
  const Ns latency = latencyOf(subject);
  if (latency <= 0) return;
  std::uint64_t gaps = 0;
  for (const GapTotal& total : subject.result.gaps) gaps += total.count;
  for (std::size_t c = 0; c < subject.result.gaps.size(); ++c) {
    const GapTotal& total = subject.result.gaps[c];
    const double share = static_cast<double>(total.time) / static_cast<double>(latency);
    if (total.count == 0 || share < kIdleShareWorthSaying) continue;
    const auto cause = static_cast<GapCause>(c);
    Builder builder(subject, cause == GapCause::HostLate ? Severity::Warning : Severity::Note,
                    fmt::format("idle-{}", nameOf(cause)));
    builder.text("cause", std::string(nameOf(cause)))
        .count("count", total.count)
        .count("gaps", gaps)
        .number("time", static_cast<double>(total.time) / static_cast<double>(subject.iterations()), "ns")
        .number("share", share, "share")
        .count("with", total.iterations)
        .count("iterations", subject.iterations())
        .text("meaning", std::string(kMeaning.at(c)));
    pointAtLargest(
        subject, [cause](const Gap& gap) { return gap.cause == cause ? gap.length() : 0; }, builder);
    out.push_back(
        builder.say("{implementation}: {count} of {gaps} gaps are {cause}, {time} per iteration, {share} of "
                    "the latency, in {with} of {iterations} iterations: {meaning}."));
  }
}

void instrumentShare(const Subject& subject, std::vector<Finding>& out) {
  Ns instrument = 0, idle = 0;
  for (const std::uint32_t p : subject.passes)
    for (const Gap& gap : subject.run.passes[p]->gaps) {
      instrument += gap.instrument;
      idle += gap.length();
    }
  if (idle <= 0) return;
  const double share = static_cast<double>(instrument) / static_cast<double>(idle);
  if (share < kInstrumentShareWorthSaying) return;
  Builder builder(subject, Severity::Note, "instrument-share");
  builder.number("share", share, "share")
      .number("time", static_cast<double>(instrument) / static_cast<double>(subject.iterations()), "ns");
  pointAtLargest(subject, [](const Gap& gap) { return gap.instrument; }, builder);
  out.push_back(builder.say(
      "{implementation}: {share} of its idle time ({time} per iteration) is the instrument's own, "
      "so gaps and latency are shorter when nobody records; busy is not affected."));
}

}  // namespace

void ruleGaps(const Subject& subject, std::vector<Finding>& out) {
  idleByCause(subject, out);
  instrumentShare(subject, out);
}

}  // namespace opscope::findings
