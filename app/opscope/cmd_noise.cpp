// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/format.h"
#include "base/op_families.h"
#include "commands.h"
#include "exit_codes.h"
#include "measuring.h"
#include "session/device_record.h"
#include "session/noise_file.h"

namespace opscope::cli {
namespace {

namespace fs = std::filesystem;

const CatalogueInfo::Implementation* firstFor(const CatalogueInfo::Op& op, const std::string& kind) {
  for (const CatalogueInfo::Implementation& implementation : op.implementations)
    if (std::count(implementation.deviceKinds.begin(), implementation.deviceKinds.end(), kind) > 0)
      return &implementation;
  return nullptr;
}

double sizeOf(const CatalogueInfo::Workload& workload) {
  double size = 1;
  for (const auto& [name, value] : workload.dims) size *= static_cast<double>(value);
  return size;
}

// The op's first workload, which it is known for, and its smallest, where every step of the clock counts.
std::vector<std::string> workloadsOf(const CatalogueInfo::Op& op) {
  if (op.workloads.empty()) return {};
  const auto smallest = std::min_element(op.workloads.begin(), op.workloads.end(),
                                         [](const auto& a, const auto& b) { return sizeOf(a) < sizeOf(b); });
  std::vector<std::string> labels{op.workloads.front().label};
  if (smallest != op.workloads.begin()) labels.push_back(smallest->label);
  return labels;
}

Job againstItself(const Job& job, const std::string& op, const std::string& workload,
                  const std::string& implementation) {
  Job twice = job;
  twice.op = op;
  twice.workload = workload;
  twice.implementations = {implementation, implementation};
  return twice;
}

std::vector<Job> jobsOf(Engine& engine, const Job& job) {
  const CatalogueInfo catalogue = engine.catalogue();
  const std::string kind = kindOf(job.device, engine.devices());
  std::vector<Job> jobs;
  for (const CatalogueInfo::Op& op : catalogue.ops) {
    const CatalogueInfo::Implementation* first = firstFor(op, kind);
    if (!job.op.empty()) {
      if (op.name != job.op) continue;
      std::vector<std::string> names = job.implementations;
      if (names.empty() && first != nullptr) names = {first->name};
      for (const std::string& name : names) jobs.push_back(againstItself(job, op.name, job.workload, name));
    } else if (first != nullptr && !isMadeToFail(op.family)) {
      for (const std::string& workload : workloadsOf(op))
        jobs.push_back(againstItself(job, op.name, workload, first->name));
    }
  }
  // What cannot be resolved here is left to the engine, whose sentence names what there is.
  if (jobs.empty()) jobs.push_back(job);
  return jobs;
}

std::string textOf(const NoiseRecord& record, const fs::path& file) {
  std::string text;
  for (const NoisePoint& point : record.points)
    text += fmt::format("  {} {} {} {}: {} busy, within {:.2f} % of itself ({} blocks)\n", point.op,
                        point.workload, point.dtype, point.implementation, formatNs(point.medianNs),
                        100 * point.share, point.blocks);
  return fmt::format("\nNoise floor of {}: {:.2f} %, the largest of\n{}kept in {}\n", record.deviceName,
                     100 * record.floor(), text, file.string());
}

}  // namespace

int noise(const Options& options) {
  Interrupts interrupts;
  const fs::path file = noiseFile();
  NoiseRecords records = readNoise(file);
  requireWritableDataFile(file);
  Outputs outputs(options.outputs, options.quiet);
  const auto engine = engineOf(options);
  for (const ErrorInfo& problem : engine->catalogue().problems) say(problem);
  Result result;
  const Runs runs =
      measureAll(*engine, jobsOf(*engine, options.job), interrupts, outputs, options.quiet, result);
  if (!runs.empty()) outputs.write(runs);
  if (outputs.failed()) result.note(exitCodeOf(ErrorCode::CannotWrite));
  const int code = result.exitCode(interrupts.requested());
  if (code == kInterrupted) {
    fmt::print(stderr, "opscope: interrupted: the noise floor that was known before is kept\n");
    return code;
  }
  NoiseRecord record = noiseRecordOf(runs, lastEndOf(runs));
  if (record.points.empty()) {
    fmt::print(stderr, "opscope: no comparison gave an interval: no noise floor is kept\n");
    return code;
  }
  const std::string text = textOf(record, file);
  records[record.device] = std::move(record);
  writeNoise(file, records);
  fmt::print(outputs.usesStandardOutput() ? stderr : stdout, "{}", text);
  return code;
}

}  // namespace opscope::cli
