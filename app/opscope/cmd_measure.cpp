// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "gate.h"
#include "measuring.h"
#include "outputs.h"

namespace opscope::cli {
namespace {

// `run` gives each implementation a job, and so a budget, of its own. What cannot be resolved here is left to
// the engine, whose sentence names what there is.
std::vector<Job> jobsOf(Engine& engine, const Options& options) {
  if (options.command == Command::Compare) return {options.job};
  std::vector<std::string> names = options.job.implementations;
  if (names.empty()) {
    const std::string kind = kindOf(options.job.device, engine.devices());
    for (const CatalogueInfo::Op& op : engine.catalogue().ops) {
      if (op.name != options.job.op) continue;
      for (const CatalogueInfo::Implementation& implementation : op.implementations)
        if (std::count(implementation.deviceKinds.begin(), implementation.deviceKinds.end(), kind) > 0)
          names.push_back(implementation.name);
    }
  }
  if (names.empty()) return {options.job};
  std::vector<Job> jobs;
  for (const std::string& name : names) {
    jobs.push_back(options.job);
    jobs.back().implementations = {name};
  }
  return jobs;
}

}  // namespace

int measure(const Options& options) {
  Interrupts interrupts;
  Outputs outputs(options.outputs, options.quiet);
  const Gate gate(options.gate, options.job.op);
  const auto engine = engineOf(options);
  for (const ErrorInfo& problem : engine->catalogue().problems) say(problem);
  Result result;
  const Runs runs = measureAll(*engine, jobsOf(*engine, options), interrupts, outputs, options.quiet, result);
  // What was cut short is no ground to fail a build on.
  const auto verdicts = interrupts.requested() ? std::nullopt : gate.judge(runs, result);
  if (!runs.empty()) outputs.write(runs, verdicts);
  if (outputs.failed()) result.note(exitCodeOf(ErrorCode::CannotWrite));
  return result.exitCode(interrupts.requested());
}

}  // namespace opscope::cli
