// SPDX-License-Identifier: Apache-2.0
#include "cuda/counter_pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace opscope::cuda {
namespace {

// Each takes some kilobytes of the host and of the device; a call of more kernels is hardly one op.
constexpr std::size_t kMostKernels = 4096;

// Ranges have numbers, not names: the order of launch gives them theirs.
void learnKernels(CudaContext& context, CuptiCollector& collector, Call& call, CounterReading& reading) {
  collector.open({});
  Trace trace;
  try {
    collector.push(0);
    call.issue();
    collector.pop();
    context.drain();
    trace = collector.close();
  } catch (...) {
    collector.discard();
    throw;
  }
  std::sort(trace.kernels.begin(), trace.kernels.end(), [](const KernelRecord& a, const KernelRecord& b) {
    return a.correlationId != b.correlationId ? a.correlationId < b.correlationId : a.start < b.start;
  });
  for (const KernelRecord& kernel : trace.kernels) reading.kernels.push_back(trace.names.text(kernel.nameId));
  reading.copies = static_cast<std::uint32_t>(trace.memops.size());
}

// Whatever ends a reading early hands the counters back.
class Enabled {
 public:
  Enabled(RangeProfiler& profiler, std::size_t ranges) : profiler_(profiler) { profiler_.enable(ranges); }
  ~Enabled() { profiler_.disable(); }
  Enabled(const Enabled&) = delete;
  Enabled& operator=(const Enabled&) = delete;

 private:
  RangeProfiler& profiler_;
};

}  // namespace

CounterReading countCalls(CudaContext& context, CuptiCollector& collector, RangeProfiler& profiler,
                          Call& call, const std::function<void()>& prepare, std::uint32_t calls) {
  CounterReading reading;
  learnKernels(context, collector, call, reading);
  if (reading.kernels.size() > kMostKernels)
    throw NotSupported(
        fmt::format("A call of {} kernels is too large to be counted kernel by kernel (at most {})",
                    reading.kernels.size(), kMostKernels),
        "Measure without --counters: everything else works.");
  // Twice the kernels, should the next call launch others, and some for fills, which run as kernels.
  const Enabled enabled(profiler, 2 * reading.kernels.size() + reading.copies + 8);
  for (std::uint32_t c = 0; c < calls; ++c) {
    profiler.arm();
    prepare();
    context.drain();
    profiler.start();
    call.issue();
    context.drain();
    reading.calls.push_back(profiler.stop());
  }
  return reading;
}

}  // namespace opscope::cuda
