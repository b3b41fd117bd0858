// SPDX-License-Identifier: Apache-2.0
// What the method itself costs, printed for the measurements page.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>

#include "gpu/gpu.h"
#include "timing/launch_thread.h"

using namespace opscope;
using namespace opscope::test;

namespace {

template <typename Work>
double microsecondsEach(int times, Work work) {
  std::vector<double> each;
  for (int i = 0; i < times; ++i) {
    const auto from = std::chrono::steady_clock::now();
    work();
    each.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count());
  }
  return medianOf(std::move(each));
}

/// The time that the clear's kernels and fills took on the device, per iteration.
double clearNsPerIteration(const Pass& pass) {
  const ExternalIds ids(pass.trace.externalIds);
  std::vector<double> durations;
  for (const KernelRecord& kernel : pass.trace.kernels)
    if (ids[kernel.correlationId] == kPrepareId &&
        pass.trace.names.text(kernel.nameId).starts_with("opscope_l2"))
      durations.push_back(static_cast<double>(kernel.end - kernel.start));
  for (const MemopRecord& memop : pass.trace.memops)
    if (ids[memop.correlationId] == kPrepareId)
      durations.push_back(static_cast<double>(memop.end - memop.start));
  return medianOf(std::move(durations));
}

/// One launch of a call and the wait for it, with records: what no method that records can do without.
double recordedLaunchAndDrain(Device& device, Call& call) {
  device.collector().open({});
  const double cost = microsecondsEach(500, [&] {
    call.issue();
    device.drain();
  });
  device.collector().discard();
  return cost;
}

}  // namespace

// How quickly a launch core issues differs by half between machines, so the bound is in terms of this one's.
TEST_CASE("the method costs at most two recorded launches and waits beside the clear and the call") {
  const auto device = gpu();
  const int core = pinThisThread(device->info().nearbyCpus);  // as the engine does
  keepOtherThreadsOff(core);
  std::printf("GPU: launch core %d\n", core);
  constexpr std::int64_t kElements = 1 << 17;
  Program program(*device, kElements, {scaleStep(kElements)});
  constexpr std::uint32_t kIterations = 200;
  double best = 1e9;
  const double once = recordedLaunchAndDrain(*device, *program.call);
  for (const L2Mode mode : {L2Mode::Clean, L2Mode::Zero, L2Mode::Warm}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Pass pass = measure(*device, *program.call, {.l2 = mode, .iterations = kIterations});
      requireMeasured(pass);
      const double wall = static_cast<double>(pass.loopWall) / kIterations / 1e3;
      const double clear = clearNsPerIteration(pass) / 1e3;
      const double busy = medianBusy(pass) / 1e3;
      std::vector<double> issue, drain;
      for (const IterationMark& mark : pass.trace.iterations) {
        issue.push_back(static_cast<double>(mark.issued - mark.called) / 1e3);
        drain.push_back(static_cast<double>(mark.drained - mark.issued) / 1e3);
      }
      std::printf(
          "GPU: L2 %s: wall %.2f us per iteration - clear %.2f - busy %.2f = %.2f us (median issue %.2f, "
          "drain "
          "%.2f)\n",
          pass.l2.c_str(), wall, clear, busy, wall - clear - busy, medianOf(issue), medianOf(drain));
      if (mode == L2Mode::Clean) best = std::min(best, wall - clear - busy);
    }
  }
  std::printf(
      "GPU: the method beside clear and busy: %.2f us, %.2f recorded launches with their wait (%.2f us)\n",
      best, best / once, once);
  CHECK(best <= 2 * once);
}

TEST_CASE("what a case costs, from calibration to judgement") {
  const auto device = gpu();
  keepOtherThreadsOff(pinThisThread(device->info().nearbyCpus));
  Protocol protocol;
  Silent silent;
  for (const std::int64_t elements : {std::int64_t{1} << 17, std::int64_t{1} << 24, std::int64_t{1} << 30}) {
    Program program(*device, elements, {scaleStep(elements)});
    program.call->issue();
    device->drain();
    const auto from = std::chrono::steady_clock::now();
    const Ns cost = calibrate(*device, *program.call, protocol.l2);
    const PassCounts counts = countsFor(protocol, cost, 1);
    const Pass pass = runPass(*device, *program.call, protocol, counts, silent, {}, {});
    const double whole =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count();
    requireMeasured(pass);
    const double n = counts.iterations;
    const double wall = static_cast<double>(pass.loopWall) / n / 1e3;
    const double onDevice = clearNsPerIteration(pass) / 1e3 + medianBusy(pass) / 1e3;
    const double work = (n + counts.warmups) * onDevice / 1e3;
    std::printf(
        "GPU: a case of busy %.2f us: %u + %u iterations, %.1f ms in all, %.1f of them clearing and busy; "
        "per iteration %.2f us, %.2f beside clearing and busy\n",
        medianBusy(pass) / 1e3, counts.warmups, counts.iterations, whole, work, wall, wall - onDevice);
    CHECK(whole > work);
  }
}

TEST_CASE("what the parts of an iteration cost the host") {
  const auto device = gpu();
  Program program(*device, 1024, {scaleStep(1024)});
  program.call->issue();
  device->drain();
  constexpr int kTimes = 500;
  const auto line = [](const char* what, double us) { std::printf("GPU: %s: %.2f us\n", what, us); };
  line("launch and drain, not recorded", microsecondsEach(kTimes, [&] {
         program.call->issue();
         device->drain();
       }));
  device->collector().open({});
  const auto pair = [&] {
    device->collector().push(1);
    device->collector().pop();
  };
  line("push and pop", microsecondsEach(kTimes, pair));
  line("now", microsecondsEach(kTimes, [&] { device->now(); }));
  line("drain of an idle device", microsecondsEach(kTimes, [&] { device->drain(); }));
  line("reset of persisting L2 lines", microsecondsEach(kTimes, [] { cudaCtxResetPersistingL2Cache(); }));
  line("limit of persisting L2 lines", microsecondsEach(kTimes, [] {
         std::size_t limit = 0;
         cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize);
       }));
  line("launch and drain, recorded", microsecondsEach(kTimes, [&] {
         program.call->issue();
         device->drain();
       }));
  std::vector<double> launches;
  for (int i = 0; i < kTimes; ++i) {
    launches.push_back(microsecondsEach(1, [&] { program.call->issue(); }));
    device->drain();
  }
  line("launch alone, recorded", medianOf(launches));
  const auto from = std::chrono::steady_clock::now();
  const Trace trace = device->collector().close();
  line("flush and close",
       std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count());
  CHECK(trace.kernels.size() == 2 * kTimes);
  CHECK(trace.dropped.records == 0);
}
