// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "scripted_setup.h"
#include "trace/prequeued_gaps.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr PassCounts kCounts{.warmups = 3, .iterations = 8};

Pass normal(Stage& stage) {
  return runPass(*stage.device, stage.call(), Protocol{}, kCounts, stage.listener, stage.stop.get_token(),
                 {});
}
Pass held(Stage& stage, const Protocol& protocol = {}) {
  return runPrequeued(*stage.device, stage.call(), protocol, kCounts, stage.listener, stage.stop.get_token(),
                      {});
}

// The host issues the second kernel 100 us after the first, which takes 10 us.
scripted::Script lateHost() {
  return always({{.name = "a", .issuedAfter = 1'000, .startAfter = 5'000, .length = 10'000},
                 {.name = "b", .issuedAfter = 100'000, .startAfter = 104'000, .length = 10'000}});
}

}  // namespace

TEST_CASE("a pre-queued pass is judged like any other, and the host has no part in it") {
  Stage stage(lateHost());
  const Pass pass = held(stage);
  REQUIRE_FALSE(pass.failure);
  CHECK(pass.control == kPrequeued);
  CHECK(pass.warmups == 3);
  REQUIRE(pass.samples.size() == 8);
  for (const Sample& sample : pass.samples) {
    CHECK(sample.busy == 20'000);
    CHECK(sample.latency == 21'000);  // the scripted device's own 1 us between queued kernels
  }
  REQUIRE(pass.gaps.size() == 8);
  for (const Gap& gap : pass.gaps) {
    CHECK(gap.host == 0);
    CHECK(gap.device == 1'000);
    CHECK(gap.cause == GapCause::Queued);
  }
  CHECK(normal(stage).control.empty());
}

TEST_CASE("the experiment takes away what the host cost, and confirms the label") {
  Stage stage(lateHost());
  const Pass measured = normal(stage), queued = held(stage);
  const Pass* const passes[] = {&measured};
  const PrequeuedComparison result = comparePrequeued(passes, queued, 1);
  REQUIRE(result.gaps.size() == 1);
  CHECK(result.gaps[0].label == GapCause::HostLate);
  CHECK(result.gaps[0].normal == 89'000);
  CHECK(result.gaps[0].held == 1'000);
  CHECK(result.gaps[0].result == ExperimentResult::Confirmed);
  CHECK(result.hostNormal == 85'000);  // from 15 us, where the first ends, to 100 us
  CHECK(result.hostHeld == 0);
}

TEST_CASE("a call that waits inside itself gives a clear answer, no pass, and a device to go on with") {
  Stage stage(always(
      {{.name = "a", .synchronise = true}, {.name = "b", .issuedAfter = 30'000, .startAfter = 40'000}}));
  try {
    held(stage);
    FAIL("a call that synchronises was queued ahead");
  } catch (const NotSupported& error) {
    CHECK_THAT(error.info().message,
               ContainsSubstring("waits for the device inside itself") && ContainsSubstring("queued ahead"));
  }
  CHECK_FALSE(stage.device->collector().isOpen());
  CHECK_FALSE(normal(stage).failure);
}

TEST_CASE("lost records are measured again, with a larger buffer") {
  scripted::Script script = lateHost();
  script.needsBufferBytes = 300'000;
  Stage stage(script);
  const Pass pass = held(stage, {.bufferBytes = 100'000});
  CHECK_FALSE(pass.failure);
  CHECK(pass.attempts == 2);
  CHECK(pass.bufferBytes == 400'000);
  const Pass lost = held(stage, {.bufferBytes = 1'000, .attempts = 2});
  REQUIRE(lost.failure);
  CHECK(lost.failure->code == ErrorCode::RecordsLost);
}

TEST_CASE("a pre-queued pass stops when it is told to") {
  Stage stage(lateHost());
  stage.stop.request_stop();
  CHECK_THROWS_AS(held(stage), Cancelled);
}
