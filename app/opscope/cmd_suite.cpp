// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "commands.h"
#include "exit_codes.h"
#include "measuring.h"
#include "session/store.h"
#include "suite/job_list.h"
#include "suite/since.h"
#include "suite/suite_tables.h"
#include "suite_host.h"

namespace opscope::cli {
namespace {

std::string sessionName(const Options& options) {
  if (!options.outputs.session.empty()) return options.outputs.session;
  const Shard& shard = options.suite.request.shard;
  return shard.count == 1 ? "suite.opscope" : fmt::format("suite-{}-of-{}.opscope", shard.index, shard.count);
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

// Read before anything is measured: a name that is wrong must not cost a night.
std::optional<Runs> earlierRuns(const std::filesystem::path& baseline, const std::string& session) {
  if (baseline.empty()) return std::nullopt;
  std::error_code isMissing;
  if (std::filesystem::equivalent(baseline, session, isMissing))
    throw BadInput(fmt::format("{} is the session of this suite itself", baseline.string()),
                   "Give this suite another session with --out, to compare it with that one.");
  return readSession(baseline).runs;
}

}  // namespace

int suite(const Options& options) {
  Interrupts interrupts;
  OutputOptions texts = options.outputs;
  texts.session.clear();
  Outputs outputs(texts, options.quiet);
  std::unique_ptr<Engine> engine = engineOf(options);
  const DeviceInfo device = requireDevice(options.job.device, *engine);
  const Plan plan = planOf(options, *engine, device.kind);
  std::optional<Runs> earlier = earlierRuns(options.suite.baseline, sessionName(options));
  SuiteSession session(sessionName(options), options.outputs.records);
  LiveSuiteHost host(options, engine, interrupts, &session);
  const SuiteResult result =
      runSuite({plan.jobs, device, session.had(), options.suite.retryFailed, std::move(earlier)}, host);
  session.close();
  std::vector<FurtherTable> tables = suiteTables(result);
  std::vector<std::string> sentences = suiteSentences(result, plan.leftOut);
  if (const std::string baseline = options.suite.baseline.string(); !baseline.empty()) {
    tables.push_back(sinceTable(result.rows, baseline));
    sentences.push_back(sinceSentence(result.rows, baseline));
  }
  outputs.write(reportOf(tables, sentences, suiteCsv(result.rows), "suite.csv"));
  if (!options.quiet) fmt::print(stderr, "everything is in {}\n", session.file().string());
  const int code = exitCodeFor(result, outputs.failed());
  return code == kMeasured && options.suite.failIfSlower && anySlower(result.rows) ? kSlower : code;
}

}  // namespace opscope::cli
