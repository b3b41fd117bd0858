// SPDX-License-Identifier: Apache-2.0
#include "timing/launch_thread.h"

#include <sched.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

using namespace opscope;

TEST_CASE("work runs in order on one thread that is not ours") {
  LaunchThread thread;
  std::vector<int> order;
  std::vector<std::thread::id> ids;
  for (int i = 0; i < 3; ++i)
    thread.post([&, i](std::stop_token) {
      order.push_back(i);
      ids.push_back(std::this_thread::get_id());
    });
  thread.post([](std::stop_token) {}).get();
  CHECK(order == std::vector<int>{0, 1, 2});
  CHECK(ids[0] == ids[2]);
  CHECK(ids[0] != std::this_thread::get_id());
}

TEST_CASE("an exception reaches the one who asked, and the thread goes on") {
  LaunchThread thread;
  CHECK_THROWS_AS(thread.post([](std::stop_token) { throw std::runtime_error("x"); }).get(),
                  std::runtime_error);
  CHECK_NOTHROW(thread.post([](std::stop_token) {}).get());
}

TEST_CASE("stop reaches the work in flight and what waits, not what comes after") {
  LaunchThread thread;
  std::atomic<bool> started = false;
  bool first = false, second = false, third = true;
  auto running = thread.post([&](std::stop_token token) {
    started = true;
    started.notify_all();
    while (!token.stop_requested()) std::this_thread::yield();
    first = true;
  });
  auto waiting = thread.post([&](std::stop_token token) { second = token.stop_requested(); });
  started.wait(false);
  thread.stop();
  auto after = thread.post([&](std::stop_token token) { third = token.stop_requested(); });
  running.get();
  waiting.get();
  after.get();
  CHECK(first);
  CHECK(second);
  CHECK_FALSE(third);
}

TEST_CASE("what was posted before the end still runs") {
  bool released = false;
  {
    LaunchThread thread;
    thread.post([&](std::stop_token) { released = true; });
  }
  CHECK(released);
}

TEST_CASE("pinning leaves the thread one core, a preferred one where it may") {
  std::thread([] {
    cpu_set_t before;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    CHECK(pinThisThread({first}) == first);
    cpu_set_t after;
    REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_COUNT(&after) == 1);
    CHECK(CPU_ISSET(first, &after));
  }).join();
}

TEST_CASE("other threads leave the launch core") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  if (CPU_COUNT(&before) < 2) SKIP("this machine gives the process one core only");
  std::thread([] {
    const int core = pinThisThread({});
    REQUIRE(core >= 0);
    keepOtherThreadsOff(core);
  }).join();
  cpu_set_t after;
  REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_COUNT(&after) == CPU_COUNT(&before) - 1);
  sched_setaffinity(0, sizeof before, &before);
}
