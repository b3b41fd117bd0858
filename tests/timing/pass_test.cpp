// SPDX-License-Identifier: Apache-2.0
#include "timing/pass.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "base/error.h"
#include "scripted_setup.h"

using namespace opscope;
using namespace opscope::test;
using scripted::ScriptedKernel;

namespace {

Pass passOf(scripted::Script script, PassCounts counts = {.warmups = 3, .iterations = 5}) {
  Stage stage(std::move(script));
  return runPass(*stage.device, stage.call(), Protocol{}, counts, stage.listener, stage.stop.get_token(), {});
}

ErrorCode failureOf(const Pass& pass) {
  REQUIRE(pass.failure);
  CHECK(pass.samples.empty());
  CHECK(pass.gaps.empty());
  return pass.failure->code;
}

}  // namespace

TEST_CASE("a pass has one sample per iteration, of the call alone") {
  // Two kernels of 10 us with 5 us between them, after a clear of 20 us that is not the call's.
  const Pass pass = passOf(always({{.startAfter = 5'000, .length = 10'000},
                                   {.issuedAfter = 2'000, .startAfter = 20'000, .length = 10'000}}));
  REQUIRE_FALSE(pass.failure);
  REQUIRE(pass.samples.size() == 5);
  for (const Sample& sample : pass.samples) {
    CHECK(sample.busy == 20'000);
    CHECK(sample.latency == 25'000);
    CHECK(sample.kernels == 2);
  }
  CHECK(pass.gaps.size() == 5);
  CHECK(pass.warmups == 3);
  CHECK(pass.l2 == "clean");
  CHECK(pass.trace.dropped.proven);
  CHECK(pass.finishedUnixNs >= pass.startedUnixNs);
}

TEST_CASE("marks bracket each iteration on the trace's clock") {
  const Pass pass = passOf(always({{}}));
  REQUIRE(pass.trace.iterations.size() == 5);
  const Attribution attribution = attribute(pass.trace);
  for (std::size_t i = 0; i < 5; ++i) {
    const IterationMark& mark = pass.trace.iterations[i];
    const KernelRecord& kernel = pass.trace.kernels[attribution.kernelsOf(i)[0]];
    CHECK(mark.called <= mark.issued);
    CHECK(mark.issued <= mark.drained);
    CHECK(kernel.start >= mark.called);
    CHECK(kernel.end <= mark.drained);
  }
}

TEST_CASE("each failure of the method leaves its name and no number") {
  CHECK(failureOf(passOf(always({{.offThread = true}}))) == ErrorCode::OffThreadLaunch);
  CHECK(failureOf(passOf(always({}))) == ErrorCode::NoKernel);
  CHECK(failureOf(passOf(always({{.memop = true}}))) == ErrorCode::NoKernel);
  CHECK(failureOf(passOf(always({{.zeroTimestamps = true}}))) == ErrorCode::TimestampsMissing);
  CHECK(failureOf(passOf(always({{}, {.startAfter = 30'000, .lost = true}}))) == ErrorCode::RecordsLost);
  CHECK(failureOf(passOf(always({{}, {.startAfter = 30'000, .lost = true, .uncounted = true}}))) ==
        ErrorCode::RecordsLost);
  scripted::Script unproven = always({{}, {.startAfter = 30'000, .lost = true, .uncounted = true}});
  unproven.dropCounterWorks = false;
  CHECK(failureOf(passOf(std::move(unproven))) == ErrorCode::DropCounterUnproven);
}

TEST_CASE("a copy beside kernels is counted and not busy") {
  const Pass pass = passOf(always({{}, {.startAfter = 16'000, .length = 4'000, .memop = true}}));
  REQUIRE_FALSE(pass.failure);
  CHECK(pass.samples[0].busy == 10'000);
  CHECK(pass.samples[0].memops == 1);
  CHECK(pass.samples[0].memopTime == 4'000);
}

TEST_CASE("calibration is the cost of clear and call") {
  // Three times a clear of 20 us and a call whose kernel ends 15 us after its beginning, one after the other.
  Stage stage(always({{}}));
  const Ns cost = calibrate(*stage.device, stage.call(), L2Mode::Clean);
  CHECK(cost >= 30'000);
  CHECK(cost <= 40'000);
}

TEST_CASE("a stop ends the pass with nothing left recording") {
  Stage stage(always({{}}));
  stage.listener.whenProgress = [&](const Progress& p) {
    if (p.phase == Phase::Measure) stage.stop.request_stop();
  };
  CHECK_THROWS_AS(runPass(*stage.device, stage.call(), Protocol{}, {.warmups = 1, .iterations = 50},
                          stage.listener, stage.stop.get_token(), {}),
                  Cancelled);
  CHECK_FALSE(stage.device->collector().isOpen());
  // The device is as good as before.
  stage.listener.whenProgress = {};
  const Pass pass = runPass(*stage.device, stage.call(), Protocol{}, {.warmups = 1, .iterations = 5},
                            stage.listener, std::stop_token{}, {});
  CHECK(pass.samples.size() == 5);
}

TEST_CASE("a device that fails inside a pass leaves nothing recording") {
  std::uint64_t calls = 0;
  Stage stage({.kernels = [&](std::uint64_t) -> std::vector<ScriptedKernel> {
    if (++calls > 10) throw DeviceLost("an illegal address");
    return {ScriptedKernel{}};
  }});
  CHECK_THROWS_AS(runPass(*stage.device, stage.call(), Protocol{}, {.warmups = 3, .iterations = 50},
                          stage.listener, std::stop_token{}, {}),
                  DeviceLost);
  CHECK_FALSE(stage.device->collector().isOpen());
}

TEST_CASE("progress goes through the phases in order") {
  Stage stage(always({{}}));
  runPass(*stage.device, stage.call(), Protocol{}, {.warmups = 2, .iterations = 5}, stage.listener,
          stage.stop.get_token(), {.implementation = "A", .pass = 2, .passes = 6});
  std::vector<Phase> phases;
  for (const Progress& p : stage.listener.progress) {
    if (phases.empty() || phases.back() != p.phase) phases.push_back(p.phase);
    CHECK(p.implementation == "A");
    CHECK(p.pass == 2);
    CHECK(p.passes == 6);
  }
  CHECK(phases == std::vector<Phase>{Phase::WarmUp, Phase::Measure, Phase::Flush, Phase::Attribute});
}
