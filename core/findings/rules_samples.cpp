// SPDX-License-Identifier: Apache-2.0
// Whether the samples carry what is said of them: how many, how far apart, how settled.
#include <algorithm>

#include "findings/rules.h"

namespace opscope::findings {
namespace {

using Severity = Finding::Severity;

// p10 and p90 of fewer rest on the two outermost values of each side.
constexpr std::uint64_t kFewSamples = 20;
// p90 over median: a tenth slower is a different iteration, not jitter.
constexpr double kWideSpread = 1.10;
// A pass still warms up when each of its first three iterations is slower than nine tenths of its second
// half: without a trend, one pass in a thousand does so by chance.
constexpr std::size_t kFirst = 3;
constexpr std::size_t kEnoughToTell = 10;
// And by more than a comparison resolves.
constexpr double kWarmingWorthSaying = 0.02;

void fewSamples(const Subject& subject, std::vector<Finding>& out) {
  if (subject.iterations() >= kFewSamples) return;
  Builder builder(subject, Severity::Note, "few-samples");
  builder.count("samples", subject.iterations())
      .number("iteration_cost", static_cast<double>(subject.result.iterationCost), "ns");
  out.push_back(builder.say(subject.result.iterationCost > 10 * kMillisecond
                                ? "{implementation}: p10 and p90 come from {samples} samples, because one "
                                  "call takes more than 10 ms ({iteration_cost})."
                                : "{implementation}: p10 and p90 come from {samples} samples."));
}

void wideSpread(const Subject& subject, std::vector<Finding>& out) {
  const Summary& busy = subject.result.busy;
  if (busy.median <= 0 || busy.p90 / busy.median < kWideSpread) return;
  out.push_back(
      Builder(subject, Severity::Note, "wide-spread")
          .number("share", busy.p90 / busy.median - 1, "share")
          .number("p90", busy.p90, "ns")
          .number("median", busy.median, "ns")
          .say("{implementation}: p90 of busy is {share} above the median ({p90} against {median})."));
}

struct Warming {
  double early = 0;  // median of the first iterations
  double rest = 0;   // median of the second half
};

std::optional<Warming> warmingIn(const Pass& pass) {
  const std::size_t n = pass.samples.size();
  if (n < kEnoughToTell) return std::nullopt;
  std::vector<Ns> early, rest;
  for (std::size_t i = 0; i < kFirst; ++i) early.push_back(pass.samples[i].busy);
  for (std::size_t i = n / 2; i < n; ++i) rest.push_back(pass.samples[i].busy);
  const Summary later = summarise(rest);
  if (static_cast<double>(*std::min_element(early.begin(), early.end())) <= later.p90) return std::nullopt;
  const Warming warming{summarise(early).median, later.median};
  if (warming.early < warming.rest * (1 + kWarmingWorthSaying)) return std::nullopt;
  return warming;
}

void stillWarming(const Subject& subject, std::vector<Finding>& out) {
  std::uint64_t warming = 0;
  Warming worst;
  std::uint32_t where = 0;
  for (const std::uint32_t p : subject.passes) {
    const auto found = warmingIn(*subject.run.passes[p]);
    if (!found) continue;
    ++warming;
    if (worst.rest > 0 && found->early / found->rest <= worst.early / worst.rest) continue;
    worst = *found;
    where = p;
  }
  // In half of the passes or fewer it is their accident.
  if (2 * warming <= subject.passes.size()) return;
  out.push_back(Builder(subject, Severity::Note, "still-warming")
                    .count("warming", warming)
                    .count("passes", subject.passes.size())
                    .number("early", worst.early, "ns")
                    .number("rest", worst.rest, "ns")
                    .number("share", worst.early / worst.rest - 1, "share")
                    .number("pass", where, "pass")
                    .at(where, 0)
                    .say("{implementation}: the first iterations are still warming up in {warming} of "
                         "{passes} passes: in pass {pass} the first three are all slower than nine tenths of "
                         "the second half, {share} by the medians ({early} against {rest}). A longer warm-up "
                         "may help."));
}

}  // namespace

void ruleSamples(const Subject& subject, std::vector<Finding>& out) {
  stillWarming(subject, out);
  wideSpread(subject, out);
  fewSamples(subject, out);
}

}  // namespace opscope::findings
