// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "base/format.h"
#include "commands.h"
#include "exit_codes.h"
#include "measuring.h"
#include "suite/job_list.h"
#include "suite/suite_tables.h"
#include "suite_session.h"

namespace opscope::cli {
namespace {

std::string sessionName(const Options& options) {
  if (!options.outputs.session.empty()) return options.outputs.session;
  const Shard& shard = options.suite.request.shard;
  return shard.count == 1 ? "suite.opscope" : fmt::format("suite-{}-of-{}.opscope", shard.index, shard.count);
}

// Its numbers, or why there are none: "one-pass 12.61 us, eager RecordsLost".
std::string resultsText(const Run& run) {
  std::string text;
  for (const ImplementationResult& result : run.implementations)
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ", result.name,
        result.failure ? std::string(nameOf(result.failure->code)) : formatNs(result.busy.median));
  return text;
}

class Host final : public SuiteHost {
 public:
  Host(const Options& options, std::unique_ptr<Engine>& engine, Interrupts& interrupts, SuiteSession& session)
      : options_(options), engine_(engine), interrupts_(interrupts), session_(session) {}

  JobOutcome measure(const Job& job) override {
    return measureOne(*engine_, job, interrupts_, options_.quiet);
  }

  void keep(const Run& run) override { session_.keep(run); }

  void renewEngine(const ErrorInfo& why) override {
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

  bool stopped() override { return interrupts_.requested(); }

  void onRun(const Run& run, bool before, std::size_t number, std::size_t all) override {
    if (options_.quiet) return;
    fmt::print(stderr, "[{}/{}] {} {} {}: {}{}\n", number, all, run.op, run.workload, run.dtype,
               resultsText(run), before ? " (in the session before)" : "");
  }

 private:
  const Options& options_;
  std::unique_ptr<Engine>& engine_;
  Interrupts& interrupts_;
  SuiteSession& session_;
};

Report reportOf(const SuiteResult& result, const std::vector<std::string>& leftOut) {
  Report report;
  for (const FurtherTable& table : suiteTables(result)) {
    report.table += drawTable(table);
    report.markdown += drawMarkdown(table);
  }
  report.table += '\n';
  report.markdown += '\n';
  for (const std::string& sentence : suiteSentences(result, leftOut)) {
    report.table += sentence + "\n";
    report.markdown += sentence + "  \n";
  }
  report.csv = suiteCsv(result.rows);
  report.csvName = "suite.csv";
  return report;
}

Plan planOf(const Options& options, Engine& engine, const std::string& kind) {
  const CatalogueInfo catalogue = engine.catalogue();
  for (const ErrorInfo& problem : catalogue.problems) say(problem);
  const SuiteOptions& suite = options.suite;
  return planSuite(catalogue, kind,
                   suite.jobs.empty() ? entriesOf(catalogue, options.job)
                                      : readJobList(suite.jobs, options.job, catalogue),
                   suite.request);
}

}  // namespace

int suite(const Options& options) {
  Interrupts interrupts;
  OutputOptions texts = options.outputs;
  texts.session.clear();
  Outputs outputs(texts, options.quiet);
  std::unique_ptr<Engine> engine = engineOf(options);
  const auto device = deviceOf(options.job.device, engine->devices());
  if (!device)
    throw NoSuchDevice(fmt::format("There is no device '{}'", options.job.device),
                       "`opscope doctor` says which there are, and what is missing for the others.");
  const Plan plan = planOf(options, *engine, device->kind);
  SuiteSession session(sessionName(options));
  Host host(options, engine, interrupts, session);
  const SuiteResult result = runSuite(plan.jobs, *device, session.had(), options.suite.retryFailed, host);
  session.close();
  outputs.write(reportOf(result, plan.leftOut));
  if (!options.quiet) fmt::print(stderr, "everything is in {}\n", session.file().string());
  if (result.interrupted) return kInterrupted;
  if (result.ended) return exitCodeOf(result.ended->code);
  return outputs.failed() ? exitCodeOf(ErrorCode::CannotWrite) : worstExitCode(result.rows);
}

}  // namespace opscope::cli
