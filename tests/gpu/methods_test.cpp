// SPDX-License-Identifier: Apache-2.0
// The methods side by side, graphs captured from calls, and what tracing costs.
#include "timing/methods.h"

#include <catch2/matchers/catch_matchers_string.hpp>

#include "gpu/gap_steps.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<MethodReading> methodsOf(Device& device, Call& call, const Protocol& protocol = {}) {
  Silent silent;
  return measureOtherMethods(device, call, protocol, {.warmups = 0, .iterations = 100}, silent, {}, {});
}

void print(const char* what, const Pass& pass, const std::vector<MethodReading>& readings) {
  std::printf("GPU: %s: records busy %.0f ns, latency %.0f ns (L2 %s)\n", what, medianBusy(pass),
              medianLatency(pass), pass.l2.c_str());
  for (const MethodReading& reading : readings)
    std::printf("GPU:   %s: %.0f ns, p10 %.0f, p90 %.0f, n %zu x %u, L2 %s%s\n", reading.method.c_str(),
                reading.perCall.median, reading.perCall.p10, reading.perCall.p90, reading.perCall.n,
                reading.callsPerReading, reading.l2.c_str(),
                reading.failure ? (": " + reading.failure->message).c_str() : "");
}

}  // namespace

TEST_CASE("every other method reads more of a small kernel than the records, in its order") {
  const auto device = gpu();
  constexpr std::int64_t kElements = 1 << 16;
  Program program(*device, kElements, {scaleStep(kElements)});
  const Pass pass = measure(*device, *program.call);
  requireMeasured(pass);
  const auto readings = methodsOf(*device, *program.call);
  print("one kernel over 256 KB", pass, readings);
  REQUIRE(readings.size() == 4);
  for (const MethodReading& reading : readings) {
    INFO(reading.method << (reading.failure ? ": " + reading.failure->message : std::string()));
    CHECK_FALSE(reading.failure);
    CHECK(reading.perCall.median > 0);
  }
  const double pair = readings[0].perCall.median, loop = readings[1].perCall.median,
               graph = readings[2].perCall.median, wall = readings[3].perCall.median;
  CHECK(pair > medianBusy(pass));
  CHECK(graph < loop);
  CHECK(graph < pair);
  CHECK(wall > pair);
}

TEST_CASE("the methods of a call of three kernels by the size of its buffers") {
  const auto device = gpu();
  for (const std::int64_t kilobytes : {32, 256, 2048, 8192, 32768}) {
    const std::int64_t elements = kilobytes * 256;
    Program program(*device, elements, {scaleStep(elements), scaleStep(elements), scaleStep(elements)});
    const Pass pass = measure(*device, *program.call);
    requireMeasured(pass);
    print(("three kernels, " + std::to_string(kilobytes) + " KB buffers").c_str(), pass,
          methodsOf(*device, *program.call));
  }
}

TEST_CASE("a call that cannot become a graph says why and leaves the stream usable") {
  const auto device = gpu();
  KernelStep waiting = scaleStep(1024);
  waiting.synchronise = true;
  Program program(*device, 1024, {waiting, scaleStep(1024)});
  try {
    device->captureGraph(*program.call, 2);
    FAIL("a call that synchronises was captured");
  } catch (const NotSupported& error) {
    std::printf("GPU: %s\n", describe(error.info()).c_str());
    CHECK_THAT(error.info().message, ContainsSubstring("cannot be captured"));
  }
  KernelStep elsewhere = scaleStep(1024);
  elsewhere.otherThread = true;
  Program offThread(*device, 1024, {elsewhere});
  CHECK_THROWS_AS(device->captureGraph(*offThread.call, 1), NotSupported);
  requireMeasured(measure(*device, *program.call, {.iterations = 10}));
}

TEST_CASE("a captured call runs as often as it was captured, sleeps and graphs included") {
  const auto device = gpu();
  for (const bool graph : {false, true}) {
    Program program(*device, 1024,
                    {scaleStep(1024), graph ? scaleStep(1024) : sleeping(scaleStep(1024), 10'000)}, 0, graph);
    const auto seven = device->captureGraph(*program.call, 7);
    const Pass pass = measure(*device, *seven, {.iterations = 10});
    requireMeasured(pass);
    for (const Sample& sample : pass.samples) CHECK(sample.kernels == 14);
  }
}

TEST_CASE("what tracing costs a call of eight short kernels") {
  const auto device = gpu();
  Program program(*device, 1024, std::vector<KernelStep>(8, spinStep()), 1'000);
  Silent silent;
  const TracingCost cost = measureTracingCost(*device, *program.call, {}, 100, silent, {}, {});
  std::printf(
      "GPU: eight 1 us kernels from event to event: %.0f ns untraced, %.0f ns traced: tracing costs %.0f\n",
      cost.off.median, cost.on.median, cost.cost());
  CHECK(cost.off.n == 100);
  CHECK(cost.on.n == 100);
  CHECK(cost.off.median > 8'000);
  CHECK_FALSE(device->collector().isOpen());
  // Recording never makes a call quicker by more than its spread.
  CHECK(cost.cost() > -0.2 * cost.off.median);
}
