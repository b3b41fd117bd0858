// SPDX-License-Identifier: Apache-2.0
#include "gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "exit_codes.h"
#include "session/gate.h"
#include "session/store.h"

namespace opscope::cli {

Gate::Gate(const GateOptions& options, const std::string& op) : options_(options) {
  if (options_.baseline.empty()) return;
  earlier_ = readSession(options_.baseline).runs;
  if (std::none_of(earlier_.begin(), earlier_.end(), [&op](const auto& run) { return run->op == op; }))
    throw BadInput(fmt::format("The baseline {} has no run of {}", options_.baseline.string(), op),
                   "`opscope show` lists what it has; measure what is missing into it with --session.");
}

void Gate::judge(const Runs& runs, const Outputs& outputs, Result& result) const {
  if (!options_.failIfSlower && options_.baseline.empty()) return;
  GateReport report;
  for (const auto& run : runs)
    report.add(options_.baseline.empty() ? gateWithin(*run, options_.threshold)
                                         : gateAgainst(*run, earlier_, options_.threshold));
  std::FILE* const out = outputs.usesStandardOutput() ? stderr : stdout;
  if (!options_.baseline.empty())
    fmt::print(out, "\nAgainst {}:\n", options_.baseline.string());
  else
    fmt::print(out, "\n");
  for (const std::string& sentence : report.sentences) fmt::print(out, "* {}\n", sentence);
  fmt::print(out, "{}\n", gateSentence(report));
  if (options_.failIfSlower && report.slower > 0) result.note(kSlower);
  if (!report.refusals.empty()) result.note(kBadInput);
}

}  // namespace opscope::cli
