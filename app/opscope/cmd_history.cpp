// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "exit_codes.h"
#include "outputs.h"
#include "session/history.h"
#include "session/store.h"
#include "suite_host.h"

namespace opscope::cli {
namespace {

bool isWanted(const HistorySeries& series, const HistoryOptions& asked) {
  const auto fits = [](const std::string& wanted, const std::string& has) {
    return wanted.empty() || wanted == has;
  };
  return fits(asked.op, series.first().op) && fits(asked.workload, series.first().workload) &&
         fits(asked.implementation, series.implementation);
}

}  // namespace

int history(const Options& options) {
  const HistoryOptions& asked = options.history;
  Outputs outputs(options.outputs, options.quiet);
  std::vector<HistoryRun> runs;
  std::vector<std::string> names;
  for (const auto& file : asked.files) {
    for (const auto& run : readSession(file).runs)
      if (asked.op.empty() || run->op == asked.op) runs.push_back({run, names.size()});
    names.push_back(file.string());
  }
  std::vector<HistorySeries> series = historyOf(runs);
  std::erase_if(series, [&](const HistorySeries& each) { return !isWanted(each, asked); });
  if (series.empty())
    throw BadInput("None of these sessions has a number of what was asked for",
                   "`opscope show` lists what a session has.");
  outputs.write(reportOf(historyTables(series, names), {}, historyCsv(series, names), "history.csv"));
  return outputs.failed() ? exitCodeOf(ErrorCode::CannotWrite) : kMeasured;
}

}  // namespace opscope::cli
