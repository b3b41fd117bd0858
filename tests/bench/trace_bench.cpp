// SPDX-License-Identifier: Apache-2.0
//
// What judging a pass costs: attribution, union and gaps over 1e6 kernel records. Host CPU figures.
#include <benchmark/benchmark.h>

#include <random>

#include "trace/gaps.h"
#include "trace/measure.h"

namespace {

using namespace opscope;

// `kernels` records in iterations of `perIteration`, launched one by one, with gaps.
Trace makeTrace(std::size_t kernels, std::size_t perIteration) {
  std::mt19937_64 random(1);
  Trace trace;
  trace.dropped.proven = true;
  const auto api = trace.names.intern("cudaLaunchKernelExC");
  const auto name = trace.names.intern("kernel");
  trace.iterations.resize(kernels / perIteration);
  Ns time = 1'764'000'000'000'000'000;
  std::uint32_t correlation = 1000;
  for (std::size_t k = 0; k < kernels; ++k) {
    const std::uint64_t iteration = k / perIteration;
    const Ns length = 1'000 + static_cast<Ns>(random() % 20'000);
    trace.launches.push_back({.start = time - 9'000,
                              .end = time - 5'000,
                              .correlationId = correlation,
                              .threadId = 1,
                              .apiNameId = api,
                              .kind = LaunchKind::Kernel});
    trace.kernels.push_back({.start = time,
                             .end = time + length,
                             .queued = time - 5'000,
                             .correlationId = correlation,
                             .nameId = name,
                             .streamId = 7});
    trace.externalIds.push_back({.externalId = iteration, .correlationId = correlation});
    ++correlation;
    time += length + static_cast<Ns>(random() % 4'000);
  }
  return trace;
}

void judgePass(benchmark::State& state) {
  const Trace trace = makeTrace(1'000'000, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const Attribution attribution = attribute(trace);
    const std::vector<Sample> samples = measure(trace, attribution);
    benchmark::DoNotOptimize(findGaps(trace, attribution, clockBounds(trace, attribution, samples)));
  }
  state.counters["kernels/s"] =
      benchmark::Counter(1e6 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["bytes/kernel record"] = sizeof(KernelRecord);
}
BENCHMARK(judgePass)->Arg(1)->Arg(8)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
