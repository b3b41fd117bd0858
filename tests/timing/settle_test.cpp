// SPDX-License-Identifier: Apache-2.0
#include "timing/settle.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "base/error.h"
#include "scripted_setup.h"

using namespace opscope;
using namespace opscope::test;

namespace {

// Calls of a millisecond on a device whose times are `factor` of the seconds it has lived.
scripted::Script withTimes(std::function<double(double)> factor) {
  scripted::Script script = always({{.length = kMillisecond}});
  script.speed = [factor = std::move(factor)](Ns now) {
    return factor(static_cast<double>(now - kSecond) / static_cast<double>(kSecond));
  };
  return script;
}

Settling settleOn(Stage& stage, Ns limit = 3 * kSecond) {
  return settle(*stage.device, {{"A", &stage.call()}}, {.settleLimit = limit}, stage.listener,
                stage.stop.get_token());
}

}  // namespace

TEST_CASE("a device that is steady has settled after three rounds") {
  Stage stage(always({{.length = kMillisecond}}));
  const Settling settling = settleOn(stage);
  CHECK(settling.settled);
  CHECK(settling.rounds == 3);
  // Ten calls of a millisecond, each with its clear, three times.
  CHECK(settling.took > 30 * kMillisecond);
  CHECK(settling.took < 35 * kMillisecond);
  CHECK(settling.limit == 3 * kSecond);
  CHECK_FALSE(settling.firstClockMhz);
}

TEST_CASE("a device that warms up is waited for") {
  // 30 % slow at first, and twice as near to its end every 50 ms.
  Stage stage(withTimes([](double t) { return 1 + 0.3 * std::exp2(-t / 0.05); }));
  const Settling settling = settleOn(stage);
  CHECK(settling.settled);
  // 0.5 % in three rounds of 10 ms each: where 0.3 x 2^(-t / 50 ms) has fallen to about 2 %.
  CHECK(settling.took > 150 * kMillisecond);
  CHECK(settling.took < 400 * kMillisecond);
}

TEST_CASE("a device that never settles is given up at the limit") {
  Stage stage(withTimes([](double t) { return std::exp(2 * t); }));
  const Settling settling = settleOn(stage, 500 * kMillisecond);
  CHECK_FALSE(settling.settled);
  CHECK(settling.took >= 500 * kMillisecond);
  CHECK(settling.took < 550 * kMillisecond);
}

TEST_CASE("a clock that still climbs is waited for, though the times are flat") {
  scripted::Script script = always({{.length = kMillisecond}});
  script.sensors = [](Ns now) {
    TelemetrySample sample;
    sample.smClockMhz = static_cast<int>(std::min<Ns>(1'980, 980 + (now - kSecond) / (200 * kMicrosecond)));
    return sample;
  };
  Stage stage(script);
  const Settling settling = settleOn(stage);
  CHECK(settling.settled);
  CHECK(settling.took > 200 * kMillisecond);
  CHECK(settling.took < 300 * kMillisecond);
  CHECK(settling.firstClockMhz.value_or(0) > 980);
  CHECK(settling.firstClockMhz.value_or(0) < 1'100);
  CHECK(settling.lastClockMhz == 1'980);
}

TEST_CASE("settling is called prepare, and can be stopped") {
  Stage stage(withTimes([](double t) { return std::exp(2 * t); }));
  stage.listener.whenProgress = [&](const Progress& p) {
    CHECK(p.phase == Phase::Prepare);
    CHECK(p.implementation == "A");
    if (stage.listener.progress.size() == 4) stage.stop.request_stop();
  };
  CHECK_THROWS_AS(settleOn(stage), Cancelled);
  CHECK(stage.listener.progress.size() == 4);
}

TEST_CASE("a comparison settles before its first block, where it has blocks enough for an interval") {
  const auto settlingOf = [](Protocol protocol) {
    protocol.iterations = 2;
    Stage stage(always({{}}), 2);
    compare(*stage.device, stage.contestants, protocol, stage.listener, {}, stage.listener);
    return stage.listener.settling;
  };
  CHECK_FALSE(settlingOf({}));
  CHECK_FALSE(settlingOf({.blocks = 3}));
  REQUIRE(settlingOf({.blocks = 4}));
  CHECK(settlingOf({.blocks = 4})->limit == 3 * kSecond);
  CHECK(settlingOf({.settleLimit = kSecond})->limit == kSecond);
  CHECK_FALSE(settlingOf({.blocks = 4, .settleLimit = 0}));
}
