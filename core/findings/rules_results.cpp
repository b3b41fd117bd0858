// SPDX-License-Identifier: Apache-2.0
// Whether what was measured is what was meant, and measured in one go.
#include "findings/rules.h"

namespace opscope::findings {
namespace {

using Severity = Finding::Severity;

void wrongResult(const Subject& subject, std::vector<Finding>& out) {
  const VerificationRecord& verification = subject.result.verification;
  if (verification.state != VerificationRecord::State::Failed) return;
  out.push_back(Builder(subject, Severity::Warning, "wrong-result")
                    .number("worst", verification.worst, "ratio")
                    .number("tolerance", verification.tolerance, "ratio")
                    .text("where", verification.where)
                    .say("{implementation}: measured although its result is WRONG (worst error {worst} at "
                         "{where}, allowed {tolerance})."));
}

void measuredAgain(const Subject& subject, std::vector<Finding>& out) {
  for (const std::uint32_t p : subject.passes) {
    const Pass& pass = *subject.run.passes[p];
    if (pass.attempts <= 1) continue;
    out.push_back(Builder(subject, Severity::Note, "measured-again")
                      .count("attempts", pass.attempts)
                      .number("buffer", static_cast<double>(pass.bufferBytes), "bytes")
                      .at(p)
                      .say("{implementation}: records were lost; what is shown is attempt {attempts} with a "
                           "record buffer of {buffer}."));
    return;
  }
}

}  // namespace

void ruleResults(const Subject& subject, std::vector<Finding>& out) {
  wrongResult(subject, out);
  measuredAgain(subject, out);
}

}  // namespace opscope::findings
