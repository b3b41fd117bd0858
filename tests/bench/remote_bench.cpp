// SPDX-License-Identifier: Apache-2.0
//
// What an engine of its own costs against the one in this process: per job, and per record.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "remote/make_engine.h"
#include "remote/records.h"
#include "session/pack.h"
#include "timing/pass.h"

namespace {

using namespace opscope;
using Clock = std::chrono::steady_clock;

Job shortJob() {
  Job job;
  job.device = "host";
  job.op = "rms_norm";
  job.dims = {{"M", 4}, {"N", 256}};
  job.implementations = {"one-pass"};
  job.protocol.l2 = L2Mode::Warm;
  job.protocol.iterations = 2;
  job.protocol.warmupBudget = 0;
  job.protocol.minIterations = 1;
  job.seed = 11;
  return job;
}

double seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

double shareOf(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0
                        : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// The same job by both engines, turn by turn, so that a busy machine is busy for both.
void costOfAJob(benchmark::State& state) {
  const auto local = makeLocalEngine();
  const auto child = makeEngine(kProcessEngine);
  const Job job = shortJob();
  runJob(*local, job);
  runJob(*child, job);
  std::vector<double> costs;
  for (auto _ : state) {
    const auto begun = Clock::now();
    runJob(*local, job);
    const auto between = Clock::now();
    runJob(*child, job);
    const auto ended = Clock::now();
    state.SetIterationTime(seconds(ended - between));
    costs.push_back(1e3 * (seconds(ended - between) - seconds(between - begun)));
  }
  state.counters["cost_p50_ms"] = shareOf(costs, 0.5);
  state.counters["cost_p99_ms"] = shareOf(costs, 0.99);
}
BENCHMARK(costOfAJob)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(300);

// Twice a job: at its start and at its end.
void costOfARun(benchmark::State& state) {
  const auto run = runJob(*makeLocalEngine(), shortJob());
  for (auto _ : state) {
    const auto packed = packRun(*run);
    benchmark::DoNotOptimize(unpackRun(std::as_bytes(std::span(packed)), run->passes));
    state.counters["bytes"] = static_cast<double>(packed.size());
  }
}
BENCHMARK(costOfARun)->Unit(benchmark::kMillisecond);

void costOfPacking(benchmark::State& state) {
  const auto run = runJob(*makeLocalEngine(), shortJob());
  for (auto _ : state) benchmark::DoNotOptimize(packRun(*run));
}
BENCHMARK(costOfPacking)->Unit(benchmark::kMillisecond);

Pass longPass(std::uint32_t iterations) {
  Pass pass;
  pass.trace.dropped.proven = true;
  pass.trace.oneClock = true;
  const std::uint32_t kernel = pass.trace.names.intern("kernel"), api = pass.trace.names.intern("launch");
  pass.trace.internShape({1, 1, 1, 1, 1, 1, 0, 0, 0});
  for (std::uint32_t i = 0; i < iterations; ++i) {
    const Ns at = 1'000'000 + Ns{i} * 10'000;
    pass.trace.launches.push_back({at, at + 1000, i + 1, 7, api, LaunchKind::Kernel});
    pass.trace.kernels.push_back({at + 2000, at + 5000, 0, 0, i + 1, kernel, 0, 0, 0, 0});
    pass.trace.externalIds.push_back({i, i + 1});
    pass.trace.iterations.push_back({at, at + 1000, at + 6000});
  }
  judge(pass);
  return pass;
}

// Written, read and judged again, on one thread: 4 records an iteration. A pipe copies in 64 KiB pieces
// meanwhile.
void costOfARecord(benchmark::State& state) {
  const auto iterations = static_cast<std::uint32_t>(state.range(0) / 4);
  const Pass pass = longPass(iterations);
  std::vector<double> costs;
  for (auto _ : state) {
    const auto begun = Clock::now();
    remote::PassReceiver receiver;
    remote::sendPass(pass, 0, [&](const remote::Json& message) {
      remote::FrameDecoder decoder;
      decoder.add(remote::frameOf(remote::encode(message)));
      const remote::Json read = remote::decode(*decoder.next());
      const auto& type = read.at("type");
      if (type == "pass") receiver.begin(read);
      if (type == "records") receiver.addRecords(read);
      if (type == "pass_end") benchmark::DoNotOptimize(receiver.end(read));
    });
    costs.push_back(1e9 * seconds(Clock::now() - begun) / static_cast<double>(state.range(0)));
  }
  state.counters["ns_a_record_p50"] = shareOf(costs, 0.5);
  state.counters["ns_a_record_p99"] = shareOf(costs, 0.99);
}
BENCHMARK(costOfARecord)->Arg(4'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
