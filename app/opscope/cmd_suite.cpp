// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "commands.h"
#include "exit_codes.h"
#include "measuring.h"
#include "suite/job_list.h"
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

}  // namespace

int suite(const Options& options) {
  Interrupts interrupts;
  OutputOptions texts = options.outputs;
  texts.session.clear();
  Outputs outputs(texts, options.quiet);
  std::unique_ptr<Engine> engine = engineOf(options);
  const DeviceInfo device = requireDevice(options.job.device, *engine);
  const Plan plan = planOf(options, *engine, device.kind);
  SuiteSession session(sessionName(options));
  LiveSuiteHost host(options, engine, interrupts, &session);
  const SuiteResult result = runSuite(plan.jobs, device, session.had(), options.suite.retryFailed, host);
  session.close();
  outputs.write(reportOf(suiteTables(result), suiteSentences(result, plan.leftOut), suiteCsv(result.rows),
                         "suite.csv"));
  if (!options.quiet) fmt::print(stderr, "everything is in {}\n", session.file().string());
  return exitCodeFor(result, outputs.failed());
}

}  // namespace opscope::cli
