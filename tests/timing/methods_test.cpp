// SPDX-License-Identifier: Apache-2.0
#include "timing/methods.h"

#include <catch2/catch_test_macros.hpp>

#include "base/error.h"
#include "scripted_setup.h"

using namespace opscope;
using namespace opscope::test;

namespace {

// One kernel of 10 us that starts 5 us after the call on an idle device.
scripted::Script oneKernel() {
  return always({{.issuedAfter = 1'000, .startAfter = 5'000, .length = 10'000}});
}

std::vector<MethodReading> methodsOf(Stage& stage, const Protocol& protocol = {}) {
  return measureOtherMethods(*stage.device, stage.call(), protocol, {.warmups = 0, .iterations = 20},
                             stage.listener, stage.stop.get_token(), {.implementation = "A"});
}

}  // namespace

TEST_CASE("each method reads what it includes") {
  Stage stage(oneKernel());
  const auto readings = methodsOf(stage);
  REQUIRE(readings.size() == 4);
  CHECK(readings[0].method == "event pair");
  CHECK(readings[0].l2 == "clean");
  CHECK(readings[0].perCall.n == 20);
  CHECK(readings[0].perCall.median == 10'000);  // the clear's 20 us hide the launch
  CHECK(readings[1].method == "event loop");
  CHECK(readings[1].l2 == "warm");
  CHECK(readings[1].callsPerReading == 20);
  CHECK(readings[1].perCall.n == 5);
  CHECK(readings[1].perCall.median == 10'250);  // the first launch latency of 5 us, over 20 calls
  CHECK(readings[2].method == "graph replay");
  REQUIRE(readings[2].failure);  // a scripted device has no graphs
  CHECK(readings[2].failure->code == ErrorCode::NotSupported);
  CHECK(readings[2].perCall.n == 0);
  CHECK(readings[3].method == "host wall clock");
  CHECK(readings[3].perCall.median == 16'000);  // 5 us launch, 10 us kernel, 1 us until the wait returns
  for (const MethodReading& reading : readings) CHECK_FALSE(reading.includes.empty());
}

TEST_CASE("the two readings of the records carry their state of the caches") {
  const auto readings = recordReadings({.n = 3, .median = 10}, {.n = 3, .median = 12}, "clean (partial)");
  REQUIRE(readings.size() == 2);
  CHECK(readings[0].method == "records: busy");
  CHECK(readings[0].perCall.median == 10);
  CHECK(readings[1].method == "records: latency");
  CHECK(readings[1].perCall.median == 12);
  CHECK(readings[1].l2 == "clean (partial)");
}

TEST_CASE("what is timed together is cold only where the call rotates") {
  Stage stage(oneKernel());
  const auto readings = methodsOf(stage, {.l2 = L2Mode::Rotate, .copies = 3});
  CHECK(readings[0].l2 == "rotate (3 copies)");
  CHECK(readings[1].l2 == "rotate (3 copies)");
  CHECK(readings[2].callsPerReading == 18);  // whole rounds
}

TEST_CASE("tracing that costs nothing reads as nothing, and nothing stays open") {
  Stage stage(oneKernel());
  const TracingCost cost =
      measureTracingCost(*stage.device, stage.call(), {}, 10, stage.listener, stage.stop.get_token(), {});
  CHECK(cost.off.n == 10);
  CHECK(cost.on.n == 10);
  CHECK(cost.off.median == 15'000);  // launch latency and kernel: the call meets an idle device
  CHECK(cost.cost() == 0);
  CHECK_FALSE(stage.device->collector().isOpen());
}

TEST_CASE("methods and the tracing control stop when they are told to") {
  Stage stage(oneKernel());
  stage.stop.request_stop();
  CHECK_THROWS_AS(methodsOf(stage), Cancelled);
  CHECK_THROWS_AS(
      measureTracingCost(*stage.device, stage.call(), {}, 10, stage.listener, stage.stop.get_token(), {}),
      Cancelled);
  CHECK_FALSE(stage.device->collector().isOpen());
}

TEST_CASE("a device that is lost ends the table") {
  std::uint64_t calls = 0;
  scripted::Script script;
  script.kernels = [&calls](std::uint64_t) -> std::vector<scripted::ScriptedKernel> {
    if (++calls > 30) throw DeviceLost("gone");
    return {{}};
  };
  Stage stage(script);
  CHECK_THROWS_AS(methodsOf(stage), DeviceLost);
}
