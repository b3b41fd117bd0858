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

class Counting {
 public:
  Counting(CudaContext& context, RangeProfiler& profiler, Call& call, const std::function<void()>& prepare)
      : context_(context), profiler_(profiler), call_(call), prepare_(prepare) {}

  std::vector<MemoryTraffic> one(CountedRange counted) {
    profiler_.arm(counted);
    prepare_();
    context_.drain();
    profiler_.start();
    call_.issue();
    context_.drain();
    return profiler_.stop();
  }

  /// False when kernels that were recorded are not counted: a graph's. A sum without them would be a small
  /// number that nobody doubts.
  bool kernelByKernel(CounterReading& reading, std::uint32_t calls) {
    // Twice the kernels, should a call launch others, and some for fills, which run as kernels.
    const Enabled enabled(profiler_, 2 * reading.kernels.size() + reading.copies + 8);
    for (std::uint32_t c = 0; c < calls; ++c) {
      reading.calls.push_back(one(CountedRange::Kernel));
      if (reading.calls.back().size() < reading.kernels.size()) return false;
    }
    return true;
  }

  void asAWhole(CounterReading& reading, std::uint32_t calls) {
    reading.together = true;
    reading.calls.clear();
    const Enabled enabled(profiler_, 1);
    for (std::uint32_t c = 0; c < calls; ++c) {
      reading.calls.push_back(one(CountedRange::Whole));
      if (reading.calls.back().size() != 1)
        throw NotSupported(
            fmt::format("The counters see neither all {} kernels of this call nor the call as a whole",
                        reading.kernels.size()),
            "Measure without --counters: everything else works.");
    }
  }

 private:
  CudaContext& context_;
  RangeProfiler& profiler_;
  Call& call_;
  const std::function<void()>& prepare_;
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
  Counting counting(context, profiler, call, prepare);
  if (!counting.kernelByKernel(reading, calls)) counting.asAWhole(reading, calls);
  return reading;
}

}  // namespace opscope::cuda
