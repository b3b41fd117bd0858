// SPDX-License-Identifier: Apache-2.0
// Holding the stream, and the experiment that rests on it.
#include <catch2/matchers/catch_matchers_string.hpp>

#include "gpu/gap_steps.h"
#include "trace/prequeued_gaps.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Pass queuedAhead(Device& device, Call& call, const Protocol& protocol = {}) {
  Silent silent;
  return runPrequeued(device, call, protocol, {.warmups = 20, .iterations = 60}, silent, {}, {});
}

PrequeuedComparison experiment(Device& device, Program& program, const char* what) {
  const Pass normal = measure(device, *program.call);
  const Pass held = queuedAhead(device, *program.call);
  requireMeasured(normal);
  requireMeasured(held);
  const Pass* const passes[] = {&normal};
  PrequeuedComparison result = comparePrequeued(passes, held, device.info().timestampTick);
  INFO(result.whyNoGaps);
  REQUIRE(result.whyNoGaps.empty());
  std::printf("GPU: %s: latency %lld ns, queued ahead %lld; host part %lld, queued ahead %lld\n", what,
              static_cast<long long>(result.latencyNormal), static_cast<long long>(result.latencyHeld),
              static_cast<long long>(result.hostNormal), static_cast<long long>(result.hostHeld));
  for (const PrequeuedGap& gap : result.gaps)
    std::printf("GPU:   gap %u: %lld ns, queued ahead %lld, %s, experiment: %s\n", gap.position,
                static_cast<long long>(gap.normal), static_cast<long long>(gap.held),
                std::string(nameOf(gap.label)).c_str(), std::string(nameOf(gap.result)).c_str());
  return result;
}

}  // namespace

TEST_CASE("behind a held stream the host has no part in any gap, and two kernels are under 3 us apart") {
  const auto device = gpu();
  Program program(*device, 1024, {spinStep(), sleeping(spinStep(), 100 * kMicrosecond)}, 2'000);
  const PrequeuedComparison result =
      experiment(*device, program, "100 us of host sleep between two 2 us kernels");
  CHECK(result.hostHeld == 0);
  REQUIRE(result.gaps.size() == 1);
  CHECK(result.gaps[0].label == GapCause::HostLate);
  CHECK(result.gaps[0].result == ExperimentResult::Confirmed);
  CHECK(result.gaps[0].normal > 90'000);
  CHECK(result.gaps[0].held < 3'000);
}

TEST_CASE("a queued gap stays when the call is queued ahead") {
  const auto device = gpu();
  Program program(*device, 1024, {spinStep(), spinStep()}, 200'000);
  const PrequeuedComparison result = experiment(*device, program, "a kernel behind one of 200 us");
  CHECK(result.hostHeld == 0);
  REQUIRE(result.gaps.size() == 1);
  CHECK(result.gaps[0].label == GapCause::Queued);
  CHECK(result.gaps[0].result == ExperimentResult::Confirmed);
}

TEST_CASE("a chain of eight short kernels loses its host part when queued ahead") {
  const auto device = gpu();
  Program program(*device, 1024, std::vector<KernelStep>(8, spinStep()), 1'000);
  const PrequeuedComparison result = experiment(*device, program, "a chain of eight 1 us kernels");
  CHECK(result.hostHeld == 0);
  CHECK(result.gaps.size() == 7);
  CHECK(result.latencyHeld < result.latencyNormal);
}

TEST_CASE("streams beside the main one are held with it") {
  const auto device = gpu();
  KernelStep beside = spinStep();
  beside.stream = 1;
  Program program(*device, 1024, {spinStep(), beside}, 20'000);
  const Pass held = queuedAhead(*device, *program.call);
  requireMeasured(held);
  const Attribution attribution = attribute(held.trace);
  for (std::size_t i = 0; i < attribution.iterations(); ++i)
    for (const std::uint32_t k : attribution.kernelsOf(i))
      CHECK(held.trace.kernels[k].start >= held.trace.iterations[i].issued + held.clock.offsetLow);
}

TEST_CASE("a call that waits inside itself is told so, and the device goes on") {
  const auto device = gpu();
  KernelStep first = spinStep();
  first.synchronise = true;
  Program program(*device, 1024, {first, spinStep()}, 5'000);
  try {
    queuedAhead(*device, *program.call);
    FAIL("a call that synchronises was queued ahead");
  } catch (const NotSupported& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("waits for the device inside itself"));
  }
  CHECK_FALSE(device->collector().isOpen());
  requireMeasured(measure(*device, *program.call, {.iterations = 10}));
}

TEST_CASE("a call of more launches than the queue holds ends like one that waits") {
  const auto device = gpu();
  Program program(*device, 1024, std::vector<KernelStep>(5'000, spinStep()), 100);
  try {
    requireMeasured(queuedAhead(*device, *program.call));
    std::printf("GPU: 5000 launches fit into a held stream\n");
  } catch (const NotSupported& error) {
    std::printf("GPU: 5000 launches do not fit into a held stream\n");
    CHECK_THAT(error.info().remedy, ContainsSubstring("thousand launches"));
  }
}
