// SPDX-License-Identifier: Apache-2.0
#include "device/watchdog.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>

#include "base/error.h"

using namespace opscope;

TEST_CASE("a watchdog acts once patience has ended, on a thread of its own") {
  Watchdog watchdog;
  std::atomic<bool> acted = false;
  std::thread::id on;
  watchdog.arm(1'000'000, [&] {
    on = std::this_thread::get_id();
    acted = true;
    acted.notify_all();
  });
  acted.wait(false);
  CHECK(on != std::this_thread::get_id());
  CHECK_FALSE(watchdog.disarm());
}

TEST_CASE("a watchdog that is called off in time never acts") {
  std::atomic<int> acted = 0;
  {
    Watchdog watchdog;
    for (int i = 0; i < 1000; ++i) {
      watchdog.arm(3'600 * kSecond, [&] { ++acted; });
      CHECK(watchdog.disarm());
    }
    watchdog.arm(3'600 * kSecond, [&] { ++acted; });  // its end calls it off
  }
  CHECK(acted == 0);
}

TEST_CASE("a short patience after a long one is kept") {
  Watchdog watchdog;
  watchdog.arm(3'600 * kSecond, [] {});
  CHECK(watchdog.disarm());
  std::atomic<bool> acted = false;
  watchdog.arm(1'000'000, [&] {
    acted = true;
    acted.notify_all();
  });
  acted.wait(false);
  CHECK_FALSE(watchdog.disarm());
}

TEST_CASE("a watchdog watches one thing at a time, and nothing is nothing") {
  Watchdog watchdog;
  CHECK_FALSE(watchdog.disarm());
  watchdog.arm(3'600 * kSecond, [] {});
  CHECK_THROWS_AS(watchdog.arm(1, [] {}), InternalError);
}
