// SPDX-License-Identifier: Apache-2.0
// What the pre-queued experiment says of the labels.
#include "findings/rules.h"

namespace opscope::findings {
namespace {

using Severity = Finding::Severity;

// Both are said, and the experiment is what counts.
void labelDisagrees(const Subject& subject, const PrequeuedComparison& comparison,
                    std::vector<Finding>& out) {
  const PrequeuedGap* largest = nullptr;
  std::size_t disagreeing = 0;
  for (const PrequeuedGap& gap : comparison.gaps) {
    if (gap.result != ExperimentResult::Disagrees) continue;
    ++disagreeing;
    if (largest == nullptr || gap.normal > largest->normal) largest = &gap;
  }
  if (largest == nullptr) return;
  out.push_back(Builder(subject, Severity::Note, "label-disagrees")
                    .count("disagreeing", disagreeing)
                    .count("gaps", comparison.gaps.size())
                    .count("kernel", std::uint64_t{largest->position} + 1)
                    .text("name", largest->after)
                    .text("label", std::string(nameOf(largest->label)))
                    .number("measured", static_cast<double>(largest->normal), "ns")
                    .number("queued_ahead", static_cast<double>(largest->held), "ns")
                    .say("{implementation}: the pre-queued experiment disagrees with the label of "
                         "{disagreeing} of {gaps} "
                         "gaps in a call; before kernel {kernel} ({name}), labelled {label}, {measured} as "
                         "measured became "
                         "{queued_ahead} when queued ahead."));
}

// The experiment rests on this being nothing.
void hostPart(const Subject& subject, const PrequeuedComparison& comparison, std::vector<Finding>& out) {
  if (comparison.hostHeld <= 0) return;
  out.push_back(
      Builder(subject, Severity::Warning, "prequeued-host-part")
          .number("host", static_cast<double>(comparison.hostHeld), "ns")
          .say("{implementation}: the host had a part of {host} in the gaps of a call that was queued "
               "ahead, where it can have none: the clocks or the hold are not to be trusted."));
}

}  // namespace

void ruleExperiment(const Subject& subject, std::vector<Finding>& out) {
  if (!subject.result.prequeued || subject.result.prequeued->failure) return;
  labelDisagrees(subject, subject.result.prequeued->comparison, out);
  hostPart(subject, subject.result.prequeued->comparison, out);
}

}  // namespace opscope::findings
