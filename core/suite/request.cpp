// SPDX-License-Identifier: Apache-2.0
#include "suite/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"

namespace opscope {
namespace {

std::string_view nameOf(WrongResults wrong) {
  switch (wrong) {
    case WrongResults::Measure:
      return "insisted on";
    case WrongResults::DoNotCheck:
      return "not checked";
    case WrongResults::Refuse:
      break;
  }
  return "refused";
}

std::string millisecondsText(Ns time) {
  return fmt::format("{} ms", static_cast<double>(time) / static_cast<double>(kMillisecond));
}

}  // namespace

std::string requestText(const PlannedJob& planned) {
  const Job& job = planned.job;
  const Protocol& protocol = job.protocol;
  std::string text = fmt::format("workload {};", job.workload.empty() ? "custom" : job.workload);
  for (const auto& [name, size] : planned.dims) text += fmt::format(" {}={}", name, size);
  text += fmt::format("; {}{}", job.implementations.empty() ? "all of " : "",
                      fmt::join(planned.implementations, ", "));
  if (!job.baseline.empty()) text += fmt::format("; baseline {}", job.baseline);
  text += fmt::format("; L2 {}; blocks {}; warm-up {}", opscope::nameOf(protocol.l2), protocol.blocks,
                      millisecondsText(protocol.warmupBudget));
  text += protocol.iterations ? fmt::format("; iterations {}", *protocol.iterations)
                              : "; measured " + millisecondsText(protocol.measureBudget);
  text += "; settle " + millisecondsText(settleLimitOf(protocol));
  text += fmt::format("; wrong results {}", nameOf(job.wrongResults));
  if (job.counters) text += "; counters";
  if (job.controls.prequeued) text += "; prequeued";
  if (job.controls.tracing) text += "; tracing";
  return text;
}

namespace {

bool isOf(const Run& run, const PlannedJob& planned, const DeviceInfo& device) {
  if (run.op != planned.job.op || run.dtype != planned.job.dtype) return false;
  if (run.deviceName != device.name || run.method != device.method) return false;
  const auto request = run.environment.find(kSuiteRequest);
  return request != run.environment.end() && request->second == requestText(planned);
}

}  // namespace

bool answers(const Run& run, const PlannedJob& planned, const DeviceInfo& device) {
  return !run.cancelled && isOf(run, planned, device);
}

bool isBeginningOf(const Run& run, const PlannedJob& planned, const DeviceInfo& device) {
  return run.cancelled && isOf(run, planned, device);
}

}  // namespace opscope
