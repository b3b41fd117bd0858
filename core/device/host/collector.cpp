// SPDX-License-Identifier: Apache-2.0
#include "device/host/collector.h"

#include <fmt/format.h>

#include "base/error.h"
#include "device/host/clock.h"

namespace opscope::host {

void HostCollector::open(const CollectOptions& options) {
  if (isOpen()) throw InternalError("The host device's collector was opened twice");
  if (options.bufferBytes <= 0)
    throw BadInput(fmt::format("A record buffer of {} bytes cannot be", options.bufferBytes),
                   "Give a positive size.");
  // Whatever runs now was launched unrecorded; after this the records are the launch thread's to touch.
  streams_.waitIdle();
  streams_.reserveRecords(options.bufferBytes);
  recorder_.open(options.bufferBytes);
  ranges_.start({.now = &steadyNow, .thread = &Recorder::thisThread});
}

Trace HostCollector::close() {
  if (!isOpen()) throw InternalError("The host device's collector was closed, but it is not open");
  streams_.waitIdle();
  Trace trace = recorder_.close();
  streams_.moveRecordsTo(trace);
  trace.oneClock = true;
  ranges_.stop(trace);
  return trace;
}

void HostCollector::discard() noexcept {
  if (!isOpen()) return;
  streams_.waitIdle();
  ranges_.discard();
  recorder_.close();
  streams_.forgetRecords();
}

bool seesDropsCounted(HostCollector& collector, Streams& streams) {
  constexpr int kKernels = 4;
  constexpr int kRecordsPerLaunch = 3;
  collector.open({.bufferBytes = 8});
  collector.push(kPrepareId);
  try {
    for (int i = 0; i < kKernels; ++i) streams.launch("drop proof", [] {});
  } catch (...) {
    collector.discard();
    throw;
  }
  collector.pop();
  const Trace trace = collector.close();
  return trace.dropped.records == kKernels * kRecordsPerLaunch && trace.kernels.empty() &&
         trace.launches.empty() && trace.externalIds.empty();
}

}  // namespace opscope::host
