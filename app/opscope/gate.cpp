// SPDX-License-Identifier: Apache-2.0
#include "gate.h"

#include <fmt/format.h>

#include <algorithm>

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

std::optional<FurtherTable> Gate::judge(const Runs& runs, Result& result) const {
  if (!options_.failIfSlower && options_.baseline.empty()) return std::nullopt;
  GateReport report;
  for (const auto& run : runs)
    report.add(options_.baseline.empty() ? gateWithin(*run, options_.threshold)
                                         : gateAgainst(*run, earlier_, options_.threshold));
  if (options_.failIfSlower && report.slower > 0) result.note(kSlower);
  if (!report.refusals.empty()) result.note(kBadInput);
  FurtherTable table;
  table.title = gateSentence(report);
  if (!options_.baseline.empty()) table.title += fmt::format(" Against {}.", options_.baseline.string());
  table.remarks = std::move(report.sentences);
  return table;
}

}  // namespace opscope::cli
