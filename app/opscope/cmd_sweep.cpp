// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "commands.h"
#include "suite/axis.h"
#include "suite_host.h"

namespace opscope::cli {

int sweep(const Options& options) {
  Interrupts interrupts;
  OutputOptions texts = options.outputs;
  texts.session.clear();
  Outputs outputs(texts, options.quiet);
  std::unique_ptr<Engine> engine = engineOf(options);
  const DeviceInfo device = requireDevice(options.job.device, *engine);
  const CatalogueInfo catalogue = engine->catalogue();
  for (const ErrorInfo& problem : catalogue.problems) say(problem);
  const std::vector<PlannedJob> points = planSweep(catalogue, device.kind, options.job, options.axis);
  std::optional<SuiteSession> session;
  if (!options.outputs.session.empty()) session.emplace(options.outputs.session, options.outputs.records);
  LiveSuiteHost host(options, engine, interrupts, session ? &*session : nullptr);
  const SuiteResult result = runSuite({points, device, {}, false, {}}, host);
  if (session) session->close();
  outputs.write(reportOf({sweepTable(result, options.axis)}, suiteSentences(result, {}),
                         sweepCsv(result, options.axis), "sweep.csv"));
  return exitCodeFor(result, outputs.failed());
}

}  // namespace opscope::cli
