// SPDX-License-Identifier: Apache-2.0
#include "import/imported_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "import/selection.h"
#include "import/trace_gaps.h"
#include "session/imported.h"
#include "trace/measure.h"

namespace opscope {
namespace {

/// What the trace says of a device, or nothing but its id.
ImportedDevice deviceOf(const ImportedTrace& trace, std::uint32_t id) {
  ImportedDevice found{.id = id, .name = {}, .architecture = {}};
  for (const ImportedDevice& device : trace.devices) {
    if (device.id != id) continue;
    found = device;
    if (!found.name.empty()) return found;
  }
  found.name = id == kUnknownId ? "an unknown device" : fmt::format("unnamed device {}", id);
  return found;
}

std::string iterationsText(const ImportedTrace& trace) {
  const auto& names = trace.iterationNames;
  if (names.empty()) return "one: the whole trace";
  if (names.size() == 1) return names.front();
  return fmt::format("{}: {} to {}", names.size(), names.front(), names.back());
}

// A step in which this device ran no kernel that is known to be its own has no busy time, not one of 0.
void dropIterationsWithoutKernels(Trace& trace) {
  const Attribution attribution = groupByIteration(trace);
  std::vector<IterationMark> kept;
  std::vector<std::uint64_t> renumbered(trace.iterations.size(), ExternalIds::kNone);
  for (std::size_t i = 0; i < trace.iterations.size(); ++i) {
    if (attribution.kernelsOf(i).empty()) continue;
    renumbered[i] = kept.size();
    kept.push_back(trace.iterations[i]);
  }
  if (kept.size() == trace.iterations.size()) return;
  trace.iterations = std::move(kept);
  std::erase_if(trace.externalIds, [&](ExternalIdRecord& record) {
    record.externalId = renumbered[record.externalId];
    return record.externalId == ExternalIds::kNone;
  });
}

std::shared_ptr<const Pass> passOf(const ImportedTrace& imported, std::uint32_t device, const Run& run) {
  Pass pass;
  pass.method = run.method;
  pass.l2 = run.l2;
  pass.startedUnixNs = run.startedUnixNs;
  pass.finishedUnixNs = run.finishedUnixNs;
  pass.trace = select(imported.trace, {.device = device, .streams = {}, .range = {}}, false);
  dropIterationsWithoutKernels(pass.trace);
  const Attribution attribution = groupByIteration(pass.trace);
  pass.samples = measure(pass.trace, attribution);
  pass.clock = importedClock(pass.trace, attribution);
  pass.gaps = findGaps(pass.trace, attribution, pass.clock);
  return std::make_shared<const Pass>(std::move(pass));
}

std::shared_ptr<const Run> runOf(const ImportedTrace& imported, std::uint32_t device,
                                 const std::string& name) {
  Run run;
  run.op = "imported trace";
  run.workload = name;
  run.deviceId = device == kUnknownId ? "unknown" : fmt::format("device {}", device);
  const ImportedDevice described = deviceOf(imported, device);
  run.deviceName = described.name;
  run.figures = kImportedFigures;
  run.method = imported.tool;
  run.l2 = "unknown";
  if (imported.zeroUnixNs && !imported.trace.iterations.empty()) {
    Ns first = imported.trace.iterations.front().called, last = first;
    for (const IterationMark& mark : imported.trace.iterations) {
      first = std::min(first, mark.called);
      last = std::max(last, mark.drained);
    }
    // A base that is nonsense may not make an instant that does not exist.
    if (__builtin_add_overflow(*imported.zeroUnixNs, first, &run.startedUnixNs) ||
        __builtin_add_overflow(*imported.zeroUnixNs, last, &run.finishedUnixNs))
      run.startedUnixNs = run.finishedUnixNs = 0;
  }
  run.environment["imported from"] = name;
  run.environment["recorded by"] = imported.tool;
  run.environment["iterations"] = iterationsText(imported);
  if (!described.architecture.empty()) run.environment["architecture"] = described.architecture;
  run.implementations.push_back(
      {.name = "as recorded",
       .doc = fmt::format("Imported from a trace of {}: nothing of it was measured by Opscope.",
                          imported.tool)});
  for (const std::string& sentence : openQuestions(imported)) {
    Finding finding;
    finding.rule = "imported";
    finding.sentence = sentence;
    run.findings.push_back(std::move(finding));
  }
  run.passes.push_back(passOf(imported, device, run));
  summariseRun(run);
  return std::make_shared<const Run>(std::move(run));
}

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace

void throwNoKernel(const std::string& name, const ImportedTrace& trace) {
  throw NoKernel(fmt::format("There is no kernel in {}: of its {} events {} are copies or fills", name,
                             trace.events, trace.trace.memops.size()),
                 "Record it with the profiler's GPU activities on (ProfilerActivity.CUDA).");
}

std::vector<std::string> openQuestions(const ImportedTrace& trace) {
  const ImportGaps& open = trace.gaps;
  std::vector<std::string> sentences;
  if (open.kernelsWithoutLaunch > 0)
    sentences.push_back(fmt::format(
        "{} of {} kernels {} no launch record: what the device waited for before {} is not known.",
        open.kernelsWithoutLaunch, trace.trace.kernels.size(),
        open.kernelsWithoutLaunch == 1 ? "has" : "have", open.kernelsWithoutLaunch == 1 ? "it" : "them"));
  if (open.kernelsWithoutCorrelation > 0)
    sentences.push_back(
        fmt::format("{} no correlation id; the ids shown for them are made up.",
                    counted(open.kernelsWithoutCorrelation, "kernel carries", "kernels carry")));
  if (open.ambiguousLaunches > 0)
    sentences.push_back(
        fmt::format("{} left out: several carry the same correlation id, as in a file that joins "
                    "several processes.",
                    counted(open.ambiguousLaunches, "launch record was", "launch records were")));
  if (open.launchesWithoutWork > 0)
    sentences.push_back(
        fmt::format("{} nothing that a device ran: the trace begins or ends between them, or records "
                    "were lost.",
                    counted(open.launchesWithoutWork, "launch record has", "launch records have")));
  if (open.kernelsOutside > 0)
    sentences.push_back(fmt::format("{} no iteration that is known, and no figure of one counts that.",
                                    counted(open.kernelsOutside, "kernel belongs to", "kernels belong to")));
  if (open.unknownStreams > 0)
    sentences.push_back(
        fmt::format("{} no stream or no device.",
                    counted(open.unknownStreams, "kernel or copy names", "kernels and copies name")));
  return sentences;
}

std::vector<std::shared_ptr<const Run>> importedRuns(const ImportedTrace& trace, const std::string& name) {
  std::set<std::uint32_t> devices;
  for (const KernelRecord& kernel : trace.trace.kernels) devices.insert(kernel.deviceId);
  if (devices.empty()) throwNoKernel(name, trace);
  std::vector<std::shared_ptr<const Run>> runs;
  for (const std::uint32_t device : devices) runs.push_back(runOf(trace, device, name));
  return runs;
}

}  // namespace opscope
