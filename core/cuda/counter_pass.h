// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "cuda/cuda_context.h"
#include "cuda/cupti_collector.h"
#include "cuda/range_profiler.h"
#include "device/call.h"
#include "trace/counters.h"

namespace opscope::cuda {

/// Records one call to learn its kernels, then counts `calls` calls, each after `prepare`, which is waited
/// for before counting starts. Fills in `kernels`, `copies` and `calls`. Nothing is left enabled. On the
/// launch thread.
CounterReading countCalls(CudaContext& context, CuptiCollector& collector, RangeProfiler& profiler,
                          Call& call, const std::function<void()>& prepare, std::uint32_t calls);

}  // namespace opscope::cuda
