// SPDX-License-Identifier: Apache-2.0
#include "timing/compare.h"

#include <catch2/catch_test_macros.hpp>

#include "base/error.h"
#include "scripted_setup.h"

using namespace opscope;
using namespace opscope::test;

namespace {

std::vector<std::uint32_t> implementationsOf(const std::vector<Pass>& passes) {
  std::vector<std::uint32_t> order;
  for (const Pass& pass : passes) order.push_back(pass.implementation);
  return order;
}

std::vector<ContestantOutcome> run(Stage& stage, const Protocol& protocol = {}) {
  return compare(*stage.device, stage.contestants, protocol, stage.listener, stage.stop.get_token(),
                 stage.listener);
}

}  // namespace

TEST_CASE("three implementations are measured A B C C B A with equal n, each pass labelled") {
  Stage stage(always({{}}), 3);
  run(stage);
  const auto& passes = stage.listener.passes;
  CHECK(implementationsOf(passes) == std::vector<std::uint32_t>{0, 1, 2, 2, 1, 0});
  for (std::uint32_t p = 0; p < passes.size(); ++p) {
    CHECK(passes[p].pass == p);
    CHECK(passes[p].position == p);
    CHECK(passes[p].block == 0);
    CHECK(passes[p].attempts == 1);
  }
  CHECK(passes[0].samples.size() == passes[5].samples.size());
  CHECK(passes[1].samples.size() == passes[4].samples.size());
}

TEST_CASE("blocks rotate and passes count on") {
  Stage stage(always({{}}), 2);
  Protocol protocol;
  protocol.blocks = 2;
  protocol.iterations = 4;
  run(stage, protocol);
  CHECK(implementationsOf(stage.listener.passes) == std::vector<std::uint32_t>{0, 1, 1, 0, 1, 0, 0, 1});
  CHECK(stage.listener.passes[5].block == 1);
  CHECK(stage.listener.passes[5].position == 1);
  CHECK(stage.listener.passes[5].pass == 5);
  CHECK(stage.listener.passes[5].samples.size() == 2);
}

TEST_CASE("lost records restart the block with four times the buffer") {
  scripted::Script script = always({{}});
  script.needsBufferBytes = 3 * 256 * 1024;
  Stage stage(std::move(script), 2);
  const auto outcomes = run(stage);
  CHECK(stage.listener.restarts == std::vector<std::uint32_t>{0});
  REQUIRE(stage.listener.passes.size() == 4);
  for (const Pass& pass : stage.listener.passes) {
    CHECK_FALSE(pass.failure);
    CHECK(pass.attempts == 2);
    CHECK(pass.bufferBytes == 4 * 256 * 1024);
  }
  CHECK_FALSE(outcomes[0].failure);
}

TEST_CASE("after the last attempt lost records are a failure, and the others are still measured") {
  // Only the second implementation loses a record, whatever the buffer: its calls are told by their launch
  // order.
  Stage a(always({{}, {.startAfter = 30'000, .lost = true}}), 1);
  const auto outcomes = run(a);
  REQUIRE(outcomes[0].failure);
  CHECK(outcomes[0].failure->code == ErrorCode::RecordsLost);
  CHECK(a.listener.restarts.size() == 2);
  REQUIRE(a.listener.passes.size() == 1);
  CHECK(a.listener.passes[0].attempts == 3);
  CHECK(a.listener.passes[0].bufferBytes == 16 * 256 * 1024);
  CHECK(a.listener.passes[0].failure);
}

TEST_CASE("a contestant that fails takes no further part") {
  Stage stage(always({{.offThread = true}}), 2);
  const auto outcomes = run(stage);
  CHECK(outcomes[0].failure->code == ErrorCode::OffThreadLaunch);
  CHECK(outcomes[1].failure->code == ErrorCode::OffThreadLaunch);
  CHECK(implementationsOf(stage.listener.passes) == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("what finished before a stop was handed over") {
  Stage stage(always({{}}), 2);
  stage.listener.whenProgress = [&](const Progress& p) {
    if (p.pass == 3 && p.phase == Phase::Measure) stage.stop.request_stop();
  };
  CHECK_THROWS_AS(run(stage), Cancelled);
  CHECK(implementationsOf(stage.listener.passes) == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("one implementation alone is one pass with the whole budget") {
  Stage stage(always({{.length = 1'000'000}}), 1);
  run(stage);
  REQUIRE(stage.listener.passes.size() == 1);
  // One iteration costs 20 us of clear and 1.005 ms of call: 100 ms hold 97 of them.
  CHECK(stage.listener.passes[0].samples.size() >= 95);
  CHECK(stage.listener.passes[0].samples.size() <= 99);
}

TEST_CASE("nothing to compare is said") {
  Stage stage(always({{}}), 0);
  CHECK_THROWS_AS(run(stage), BadInput);
}

TEST_CASE("time left falls from pass to pass") {
  Stage stage(always({{}}), 2);
  run(stage);
  std::vector<Ns> left;
  for (const Progress& p : stage.listener.progress)
    if (p.phase == Phase::WarmUp && p.iteration == 0) left.push_back(p.remainingNs);
  REQUIRE(left.size() == 4);
  CHECK(left[0] > left[1]);
  CHECK(left[1] > left[2]);
  CHECK(left[2] > left[3]);
  CHECK(left[3] > 0);
}

TEST_CASE("passes of different methods or L2 modes are not pooled") {
  Pass a, b;
  a.method = b.method = "cupti";
  a.l2 = b.l2 = "clean";
  CHECK_NOTHROW(requireOneMethod({&a, &b}));
  b.l2 = "zero";
  CHECK_THROWS_AS(requireOneMethod({&a, &b}), MixedMethods);
  b.l2 = "clean";
  b.method = "cuda-events";
  CHECK_THROWS_AS(requireOneMethod({&a, &b}), MixedMethods);
  CHECK_NOTHROW(requireOneMethod({}));
}
