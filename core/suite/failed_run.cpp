// SPDX-License-Identifier: Apache-2.0
#include "suite/failed_run.h"

#include <chrono>

namespace opscope {
namespace {

std::int64_t unixNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Failed before the engine said what it would measure.
Run runThatNeverStarted(const PlannedJob& planned, const DeviceInfo& device) {
  Run run;
  run.op = planned.job.op;
  run.family = planned.family;
  run.workload = planned.job.workload.empty() ? "custom" : planned.job.workload;
  run.dtype = planned.job.dtype;
  run.dims = planned.dims;
  run.deviceId = device.id;
  run.deviceName = device.name;
  run.figures = nameOf(device.figures);
  run.method = device.method;
  run.l2 = nameOf(planned.job.protocol.l2);
  run.timestampTick = device.timestampTick;
  run.memoryBytesPerSecond = device.memoryBytesPerSecond;
  run.seed = planned.job.seed;
  run.blocks = planned.job.protocol.blocks;
  run.startedUnixNs = unixNow();
  for (const std::string& name : planned.implementations) run.implementations.push_back({.name = name});
  return run;
}

}  // namespace

Run failedRun(const PlannedJob& planned, const DeviceInfo& device, const ErrorInfo& failure,
              const Run* partial) {
  Run run = partial != nullptr ? *partial : runThatNeverStarted(planned, device);
  run.cancelled = false;  // it is over: it failed
  run.finishedUnixNs = unixNow();
  for (ImplementationResult& result : run.implementations)
    if (!result.failure) result.failure = failure;
  run.findings.clear();  // they speak of numbers
  summariseRun(run);
  return run;
}

}  // namespace opscope
