// SPDX-License-Identifier: Apache-2.0
#include "trace/prequeued_gaps.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "trace_builder.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// A pass of iterations a, b, c, with the given gaps before b and c and a label and host part for both.
struct Iteration {
  Ns gapB = 0;
  Ns gapC = 0;
};

Pass passOf(const std::vector<Iteration>& iterations, GapCause cause, Ns host,
            const std::string& last = "c") {
  TraceBuilder builder(iterations.size());
  Pass pass;
  Ns now = kSecond;
  for (std::uint32_t i = 0; i < iterations.size(); ++i) {
    const Ns from = now;
    const auto add = [&](const std::string& name, Ns gap) {
      const auto number = static_cast<std::uint32_t>(builder.trace.kernels.size());
      now += gap;
      builder.kernel(builder.launch(i, from, from + 1), now, now + 1'000, 7, name);
      now += 1'000;
      if (gap == 0) return;
      Gap hole;
      hole.start = now - 1'000 - gap;
      hole.end = now - 1'000;
      hole.host = host;
      hole.device = gap - host;
      hole.iteration = i;
      hole.before = number - 1;
      hole.after = number;
      hole.cause = cause;
      pass.gaps.push_back(hole);
    };
    add("a", 0);
    add("b", iterations[i].gapB);
    add(last, iterations[i].gapC);
    pass.samples.push_back({.busy = 3'000, .latency = now - from, .kernels = 3});
    now += 50'000;
  }
  pass.trace = std::move(builder.trace);
  return pass;
}

PrequeuedComparison compared(const Pass& normal, const Pass& held, Ns tick = 32) {
  const Pass* const passes[] = {&normal};
  return comparePrequeued(passes, held, tick);
}

}  // namespace

TEST_CASE("each gap is compared with itself, by medians over the iterations") {
  // Before b: 8, 9, 100 us; held 1.5, 1.6, 1.7 us. Before c: 2 us in every iteration, held the same.
  const Pass normal = passOf({{8'000, 2'000}, {9'000, 2'000}, {100'000, 2'000}}, GapCause::HostLate, 500);
  const Pass held = passOf({{1'500, 2'000}, {1'600, 2'000}, {1'700, 2'000}}, GapCause::Queued, 0);
  const PrequeuedComparison result = compared(normal, held);
  CHECK(result.whyNoGaps.empty());
  REQUIRE(result.gaps.size() == 2);
  CHECK(result.gaps[0] == PrequeuedGap{.position = 1,
                                       .before = "a",
                                       .after = "b",
                                       .normal = 9'000,
                                       .held = 1'600,
                                       .label = GapCause::HostLate,
                                       .labelled = 3,
                                       .count = 3,
                                       .result = ExperimentResult::Confirmed});
  CHECK(result.gaps[0].hostCost() == 7'400);
  // The label lays this one to the host, too, and taking the host away changes nothing.
  CHECK(result.gaps[1].result == ExperimentResult::Disagrees);
  CHECK(result.latencyNormal == 3'000 + 9'000 + 2'000);
  CHECK(result.latencyHeld == 3'000 + 1'600 + 2'000);
  CHECK(result.gapNormal == 11'000);
  CHECK(result.gapHeld == 3'600);
  CHECK(result.hostNormal == 1'000);
  CHECK(result.hostHeld == 0);
}

TEST_CASE("a label is confirmed on the side that it names") {
  const auto resultOf = [](GapCause cause, Ns held) {
    return compared(passOf({{4'000, 0}}, cause, 0), passOf({{held, 0}}, GapCause::Queued, 0))
        .gaps.at(0)
        .result;
  };
  for (const GapCause host : {GapCause::HostLate, GapCause::LatencyExposed, GapCause::Instrument}) {
    CHECK(resultOf(host, 1'600) == ExperimentResult::Confirmed);
    CHECK(resultOf(host, 4'000) == ExperimentResult::Disagrees);
  }
  for (const GapCause device : {GapCause::Queued, GapCause::InGraph, GapCause::Copy}) {
    CHECK(resultOf(device, 4'000) == ExperimentResult::Confirmed);
    CHECK(resultOf(device, 1'600) == ExperimentResult::Disagrees);
  }
  for (const GapCause open : {GapCause::Undecided, GapCause::ClockSuspect, GapCause::NoLaunchRecord}) {
    CHECK(resultOf(open, 1'600) == ExperimentResult::Host);
    CHECK(resultOf(open, 4'000) == ExperimentResult::Device);
  }
}

TEST_CASE("what changes by a tenth or by two ticks did not change") {
  const auto resultOf = [](Ns normal, Ns held, Ns tick) {
    return compared(passOf({{normal, 0}}, GapCause::Queued, 0), passOf({{held, 0}}, GapCause::Queued, 0),
                    tick)
        .gaps.at(0)
        .result;
  };
  CHECK(resultOf(10'000, 9'000, 32) == ExperimentResult::Confirmed);
  CHECK(resultOf(10'000, 8'999, 32) == ExperimentResult::Disagrees);
  CHECK(resultOf(300, 236, 32) == ExperimentResult::Confirmed);
  CHECK(resultOf(300, 235, 32) == ExperimentResult::Disagrees);
  CHECK(resultOf(1'000, 5'000, 32) == ExperimentResult::Confirmed);  // longer when held: the host had no part
}

TEST_CASE("an iteration without a gap counts as 0, and a gap that only one side has is shown") {
  const PrequeuedComparison result = compared(passOf({{0, 0}, {0, 0}, {900, 0}}, GapCause::Queued, 0),
                                              passOf({{0, 700}, {0, 700}, {0, 700}}, GapCause::Queued, 0));
  REQUIRE(result.gaps.size() == 2);
  CHECK(result.gaps[0].normal == 0);
  CHECK(result.gaps[0].count == 1);
  CHECK(result.gaps[1].position == 2);
  CHECK(result.gaps[1].normal == 0);
  CHECK(result.gaps[1].held == 700);
  CHECK(result.gaps[1].count == 0);
  CHECK(result.gaps[1].result == ExperimentResult::Device);
}

TEST_CASE("the label is what most of the gaps have") {
  Pass normal = passOf({{4'000, 0}, {4'000, 0}, {4'000, 0}}, GapCause::Queued, 0);
  normal.gaps[1].cause = GapCause::HostLate;
  const PrequeuedGap gap = compared(normal, passOf({{4'000, 0}}, GapCause::Queued, 0)).gaps.at(0);
  CHECK(gap.label == GapCause::Queued);
  CHECK(gap.labelled == 2);
  CHECK(gap.count == 3);
}

TEST_CASE("runs that launch other kernels have totals and no gap by gap") {
  const PrequeuedComparison result = compared(passOf({{4'000, 0}}, GapCause::HostLate, 4'000),
                                              passOf({{1'600, 0}}, GapCause::Queued, 0, "other"));
  CHECK(result.gaps.empty());
  CHECK_THAT(result.whyNoGaps, ContainsSubstring("pre-queued") && ContainsSubstring("same kernels"));
  CHECK(result.latencyNormal == 7'000);
  CHECK(result.latencyHeld == 4'600);
}

TEST_CASE("one held iteration in which the host had a part is not hidden by a median") {
  Pass held = passOf({{1'600, 0}, {1'600, 0}, {1'600, 0}}, GapCause::Queued, 0);
  held.gaps[2].host = 40;
  CHECK(compared(passOf({{4'000, 0}}, GapCause::HostLate, 4'000), held).hostHeld == 40);
}

TEST_CASE("nothing measured is no crash") {
  const Pass empty;
  CHECK_THAT(comparePrequeued({}, empty, 1).whyNoGaps, ContainsSubstring("no iteration"));
}

TEST_CASE("results have names that read back") {
  for (int r = 0; r < kExperimentResults; ++r) {
    const auto result = static_cast<ExperimentResult>(r);
    CHECK(experimentResultFromName(nameOf(result)) == result);
  }
}
