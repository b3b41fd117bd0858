// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <stdexcept>
#include <thread>

#include "base/error.h"
#include "device/host/clock.h"
#include "device/host/machine.h"
#include "device/host_fixture.h"

namespace opscope::host {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("two streams overlap: two kernels meet that can only meet while both run") {
  Gate mainIsHere;
  Gate sideIsHere;
  std::atomic<int> met = 0;
  HostFixture host([&](CallContext& context) {
    context.launch("main", [&] {
      mainIsHere.open();
      met += sideIsHere.wait() ? 1 : 0;
    });
    context.launch(
        "side",
        [&] {
          sideIsHere.open();
          met += mainIsHere.wait() ? 1 : 0;
        },
        1);
  });
  const Trace trace = host.record(*host.prepare());
  CHECK(met == 2);
  const KernelRecord& main = kernelNamed(trace, "main");
  const KernelRecord& side = kernelNamed(trace, "side");
  CHECK(main.start < side.end);
  CHECK(side.start < main.end);
  CHECK(main.streamId == 0);
  CHECK(side.streamId == 1);
}

TEST_CASE("a stream runs its kernels in order") {
  std::vector<int> order;
  HostFixture host([&](CallContext& context) {
    for (int i = 0; i < 50; ++i) context.launch("k", [&order, i] { order.push_back(i); });
  });
  host.prepare()->issue();
  host.device->drain();
  REQUIRE(order.size() == 50);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("calls do not overlap, whatever streams they use") {
  Gate gate;
  int calls = 0;
  HostFixture host([&](CallContext& context) {
    const std::string number = std::to_string(calls++);
    context.launch("main" + number, [&] { gate.wait(); });
    context.launch("side" + number, [&] { gate.wait(); }, 1);
    context.launch("other" + number, [&] { gate.wait(); }, 2);
  });
  const auto call = host.prepare();
  Collector& collector = host.device->collector();
  collector.open({});
  call->issue();
  call->issue();  // the first call cannot have finished
  gate.open();
  host.device->drain();
  const Trace trace = collector.close();
  REQUIRE(trace.kernels.size() == 6);
  for (const char* first : {"main0", "side0", "other0"})
    for (const char* second : {"main1", "side1", "other1"}) {
      INFO(first << " before " << second);
      CHECK(kernelNamed(trace, first).end <= kernelNamed(trace, second).start);
    }
}

TEST_CASE("a drain waits for every stream") {
  std::atomic<int> finished = 0;
  HostFixture host([&](CallContext& context) {
    for (std::uint32_t stream = 0; stream < 16; ++stream)
      context.launch(
          "k",
          [&] {
            std::this_thread::yield();
            ++finished;
          },
          stream);
  });
  host.prepare()->issue();
  host.device->drain();
  CHECK(finished == 16);
}

TEST_CASE("synchronise lets a function see what its kernels did") {
  int value = 0;
  int seen = 0;
  HostFixture host([&](CallContext& context) {
    context.launch("write", [&] { value = 7; }, 1);
    context.synchronise();
    seen = value;
  });
  host.prepare()->issue();
  CHECK(seen == 7);
}

TEST_CASE("the device's timer covers the side streams of a call") {
  constexpr Ns kLength = 3 * kMillisecond;
  HostFixture host([&](CallContext& context) {
    context.launch(
        "side",
        [] {
          const Ns end = steadyNow() + kLength;
          while (steadyNow() < end) std::this_thread::yield();
        },
        3);
  });
  const auto call = host.prepare();
  const auto timer = host.device->makeTimer();
  CHECK_THROWS_AS(timer->stop(), InternalError);
  CHECK_THROWS_AS(timer->elapsed(), InternalError);
  const Ns before = host.device->now();
  timer->start();
  CHECK_THROWS_AS(timer->elapsed(), InternalError);
  call->issue();
  timer->stop();
  const Ns elapsed = timer->elapsed();
  CHECK(elapsed >= kLength);
  CHECK(elapsed <= host.device->now() - before);
}

TEST_CASE("a timer leaves no record, and may go while it is still queued") {
  Gate gate;
  HostFixture host([&](CallContext& context) { context.launch("k", [&] { gate.wait(); }); });
  const auto call = host.prepare();
  host.device->collector().open({});
  call->issue();
  {
    const auto timer = host.device->makeTimer();
    timer->start();
    timer->stop();
  }
  gate.open();
  host.device->drain();
  const Trace trace = host.device->collector().close();
  CHECK(trace.kernels.size() == 1);
  CHECK(trace.launches.size() == 1);
  CHECK(trace.dropped.records == 0);
}

TEST_CASE("a kernel that throws loses the device, which says which kernel and why") {
  std::atomic<bool> ranAfter = false;
  HostFixture host([&](CallContext& context) {
    context.launch("divide", []() { throw std::runtime_error("division by zero"); });
    context.launch("after", [&] { ranAfter = true; });
  });
  const auto call = host.prepare();
  const auto memory = host.device->allocate(16);
  const auto lost = [](const auto& use) {
    CHECK_THROWS_MATCHES(
        use(), DeviceLost,
        MessageMatches(ContainsSubstring("\"divide\"") && ContainsSubstring("division by zero")));
  };
  SECTION("at the next drain, and ever after") {
    // Launching "after" may already be refused.
    try {
      call->issue();
    } catch (const DeviceLost&) {
    }
    lost([&] { host.device->drain(); });
    lost([&] { host.device->drain(); });
    lost([&] { call->issue(); });
    lost([&] { host.device->clearCaches(L2Mode::Clean); });
    lost([&] { host.device->fill(*memory, std::byte{1}); });
    CHECK_FALSE(ranAfter);
  }
  SECTION("while recording: the collector still closes, without the kernel") {
    host.device->collector().open({});
    try {
      call->issue();
    } catch (const DeviceLost&) {
    }
    CHECK_THROWS_AS(host.device->drain(), DeviceLost);
    const Trace trace = host.device->collector().close();
    CHECK(trace.kernels.empty());
    CHECK_FALSE(trace.launches.empty());
  }
}

TEST_CASE("a kernel may throw anything") {
  HostFixture host([](CallContext& context) { context.launch("odd", [] { throw 1; }); });
  host.prepare()->issue();
  CHECK_THROWS_MATCHES(host.device->drain(), DeviceLost, MessageMatches(ContainsSubstring("\"odd\"")));
}

TEST_CASE("what a function throws while it issues reaches the caller, and the device goes on") {
  bool refuse = true;
  std::atomic<int> ran = 0;
  HostFixture host([&](CallContext& context) {
    context.launch("k", [&] { ++ran; });
    if (refuse) throw BadInput("no");
  });
  const auto call = host.prepare();
  CHECK_THROWS_AS(call->issue(), BadInput);
  refuse = false;
  call->issue();
  host.device->drain();
  CHECK(ran == 2);
}

TEST_CASE("a device that closes finishes what is queued") {
  std::atomic<int> ran = 0;
  {
    HostFixture host([&](CallContext& context) {
      for (std::uint32_t i = 0; i < 30; ++i) context.launch("k", [&] { ++ran; }, i % 3);
    });
    host.prepare()->issue();
  }
  CHECK(ran == 30);
}

TEST_CASE("streams and kernels that do not exist are refused") {
  HostFixture outOfRange([](CallContext& context) { context.launch("k", [] {}, 16); });
  CHECK_THROWS_AS(outOfRange.prepare()->issue(), BadInput);
  HostFixture empty([](CallContext& context) { context.launch("k", nullptr); });
  CHECK_THROWS_AS(empty.prepare()->issue(), BadInput);
}

TEST_CASE("a thread that is not the launch thread is refused, until it becomes it") {
  HostFixture host([](CallContext& context) { context.launch("k", [] {}); });
  const auto call = host.prepare();
  Device& device = *host.device;
  const auto timer = device.makeTimer();
  std::thread([&] {
    CHECK_THROWS_AS(call->issue(), WrongThread);
    CHECK_THROWS_AS(device.drain(), WrongThread);
    CHECK_THROWS_AS(device.collector(), WrongThread);
    CHECK_THROWS_AS(device.allocate(1), WrongThread);
    CHECK_THROWS_AS(device.now(), WrongThread);
    CHECK_THROWS_AS(device.clearCaches(L2Mode::Warm), WrongThread);
    CHECK_THROWS_AS(device.facts(), WrongThread);
    CHECK_THROWS_AS(timer->start(), WrongThread);
    device.bindToThisThread();
    CHECK_NOTHROW(call->issue());
    CHECK_NOTHROW(device.drain());
  }).join();
  CHECK_THROWS_AS(device.drain(), WrongThread);
  device.bindToThisThread();
  CHECK_NOTHROW(device.drain());
}

TEST_CASE("kernels keep off the core that the launch thread is pinned to") {
  const cpu_set_t all = programCores();
  if (CPU_COUNT(&all) < 2) SKIP("this program may use one core only");
  int last = -1;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &all)) last = core;
  cpu_set_t seen;
  CPU_ZERO(&seen);
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
    HostFixture host([&](CallContext& context) {
      context.launch("where", [&] { ::sched_getaffinity(0, sizeof seen, &seen); });
    });
    host.prepare()->issue();
    host.device->drain();
  }).join();
  CHECK_FALSE(CPU_ISSET(last, &seen));
  CHECK(CPU_COUNT(&seen) == CPU_COUNT(&all) - 1);
}

}  // namespace
}  // namespace opscope::host
