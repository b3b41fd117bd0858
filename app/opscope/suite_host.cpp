// SPDX-License-Identifier: Apache-2.0
#include "suite_host.h"

#include <fmt/format.h>

#include "base/format.h"
#include "exit_codes.h"

namespace opscope::cli {
namespace {

// Its numbers, or why there are none: "one-pass 12.61 us, eager RecordsLost".
std::string resultsText(const Run& run) {
  std::string text;
  for (const ImplementationResult& result : run.implementations)
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ", result.name,
        result.failure ? std::string(nameOf(result.failure->code)) : formatNs(result.busy.median));
  return text;
}

}  // namespace

JobOutcome LiveSuiteHost::measure(const Job& job, const Environment& notes) {
  Recorder* const recorder = session_ == nullptr ? nullptr : &session_->recorderWith(notes);
  return measureOne(*engine_, job, interrupts_, options_.quiet, options_.outputs.note, recorder);
}

void LiveSuiteHost::keep(const Run& run) {
  if (session_ != nullptr) session_->keep(run);
}

void LiveSuiteHost::drop(const Run& had) {
  if (session_ != nullptr) session_->drop(had);
}

void LiveSuiteHost::renewEngine(const ErrorInfo& why) {
  say(why);
  if (options_.engine == kLocalEngine) {
    // Nothing works on a lost device in this process any more.
    fmt::print(stderr, "opscope: the rest is measured in a process of its own (--engine process)\n");
    Options other = options_;
    other.engine = kProcessEngine;
    engine_ = engineOf(other);
  }
  engine_->devices();
}

void LiveSuiteHost::onRun(const Run& run, bool before, std::size_t number, std::size_t all) {
  if (options_.quiet) return;
  fmt::print(stderr, "[{}/{}] {} {} {}: {}{}\n", number, all, run.op,
             run.workload == "custom" ? dimensionsText(run) : run.workload, run.dtype, resultsText(run),
             before ? " (in the session before)" : "");
}

Report reportOf(const std::vector<FurtherTable>& tables, const std::vector<std::string>& sentences,
                std::string csv, std::string csvName) {
  Report report{{}, {}, std::move(csv), std::move(csvName), {}};
  for (const FurtherTable& table : tables) {
    report.table += drawTable(table);
    report.markdown += drawMarkdown(table);
  }
  report.table += '\n';
  report.markdown += '\n';
  for (const std::string& sentence : sentences) {
    report.table += sentence + "\n";
    report.markdown += sentence + "  \n";
  }
  return report;
}

int exitCodeFor(const SuiteResult& result, bool outputFailed) {
  if (result.interrupted) return kInterrupted;
  if (result.ended) return exitCodeOf(result.ended->code);
  return outputFailed ? exitCodeOf(ErrorCode::CannotWrite) : worstExitCode(result.rows);
}

}  // namespace opscope::cli
