// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "commands.h"
#include "engine/ceilings.h"
#include "exit_codes.h"
#include "measuring.h"
#include "session/ceiling_file.h"
#include "session/device_record.h"

namespace opscope::cli {
namespace {

namespace fs = std::filesystem;

std::string textOf(const CeilingRecord& record, const fs::path& file) {
  std::string text = fmt::format("\nCeilings of {}:\n", record.deviceName);
  for (const CeilingPoint& point : record.points) text += fmt::format("  {}\n", opscope::textOf(point));
  return text + fmt::format("kept in {}\n", file.string());
}

// What the device has not, which is no failure: it then has no ceiling of it.
bool isLacking(const ErrorInfo& failure) {
  return failure.code == ErrorCode::NotSupported || failure.code == ErrorCode::LibraryMissing;
}

// A job of its own for each, so that one the device cannot run does not end the others.
Runs measureProbes(Engine& engine, const std::vector<Job>& jobs, Interrupts& interrupts, Outputs& outputs,
                   bool quiet, Result& result) {
  Runs all;
  for (const Job& job : jobs) {
    if (interrupts.requested()) break;
    Result one;
    const Runs runs = measureAll(engine, {job}, interrupts, outputs, quiet, one);
    bool lacking = !runs.empty();
    for (const auto& run : runs)
      for (const ImplementationResult& each : run->implementations)
        lacking = lacking && each.failure && isLacking(*each.failure);
    if (!lacking) result.note(one.exitCode(false));
    all.insert(all.end(), runs.begin(), runs.end());
  }
  return all;
}

}  // namespace

int ceilings(const Options& options) {
  Interrupts interrupts;
  const fs::path file = ceilingFile();
  CeilingRecords records = readCeilings(file);
  requireWritableDataFile(file);
  Outputs outputs(options.outputs, options.quiet);
  const auto engine = engineOf(options);
  const DeviceInfo device = requireDevice(options.job.device, *engine);
  Result result;
  const Runs runs = measureProbes(*engine, ceilingJobs(engine->catalogue(), device, options.job), interrupts,
                                  outputs, options.quiet, result);
  if (!runs.empty()) outputs.write(runs);
  if (outputs.failed()) result.note(exitCodeOf(ErrorCode::CannotWrite));
  const int code = result.exitCode(interrupts.requested());
  if (code == kInterrupted) {
    fmt::print(stderr, "opscope: interrupted: the ceilings that were known before are kept\n");
    return code;
  }
  CeilingRecord record = ceilingRecordOf(runs, lastEndOf(runs));
  if (record.points.empty()) {
    fmt::print(stderr, "opscope: no probe gave a number: no ceilings are kept\n");
    return code;
  }
  const std::string text = textOf(record, file);
  records[record.device] = std::move(record);
  writeCeilings(file, records);
  fmt::print(outputs.usesStandardOutput() ? stderr : stdout, "{}", text);
  return code;
}

}  // namespace opscope::cli
