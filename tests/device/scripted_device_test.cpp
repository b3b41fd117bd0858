// SPDX-License-Identifier: Apache-2.0
#include "device/scripted/scripted_device.h"

#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "base/error.h"
#include "trace/attribution.h"

namespace opscope::scripted {
namespace {

constexpr Ns kStart = kSecond;  // when simulated time begins

Script always(std::vector<ScriptedKernel> kernels) {
  return {.kernels = [kernels](std::uint64_t) { return kernels; }};
}

// One iteration with id 0, and its trace as a pass would leave it.
Trace pass(Device& device, std::uint32_t iterations = 1, std::int64_t bufferBytes = 1 << 20) {
  const auto call = device.prepare(scriptedCall());
  Collector& collector = device.collector();
  collector.open({.bufferBytes = bufferBytes});
  for (std::uint32_t i = 0; i < iterations; ++i) {
    collector.push(i);
    call->issue();
    collector.pop();
    device.drain();
  }
  Trace trace = collector.close();
  trace.iterations.resize(iterations);
  return trace;
}

TEST_CASE("a call leaves the records that its script says, to the nanosecond") {
  const auto device = openScriptedDevice(
      always({{.name = "a"},
              {.name = "b", .issuedAfter = 3'000, .startAfter = 20'000, .length = 500, .stream = 9}}));
  const Trace trace = pass(*device);
  REQUIRE(trace.kernels.size() == 2);
  REQUIRE(trace.launches.size() == 2);
  const KernelRecord& a = trace.kernels[0];
  CHECK(trace.names.text(a.nameId) == "a");
  CHECK(a.queued == kStart + 1'000);
  CHECK(a.start == kStart + 5'000);
  CHECK(a.end == kStart + 15'000);
  CHECK(a.streamId == 7);
  const KernelRecord& b = trace.kernels[1];
  CHECK(b.queued == kStart + 3'000);
  CHECK(b.start == kStart + 20'000);
  CHECK(b.end == kStart + 20'500);
  CHECK(b.streamId == 9);
  CHECK(trace.launches[0].start == kStart);
  CHECK(trace.launches[0].end == kStart + 1'000);
  CHECK(trace.launches[1].start == kStart + 2'000);
  CHECK(trace.launches[1].correlationId == b.correlationId);
  CHECK(trace.externalIds.size() == 2);
  CHECK(trace.dropped.proven);
  CHECK(trace.dropped.records == 0);
  CHECK_NOTHROW(attribute(trace));
}

TEST_CASE("kernels behind a hold run one after the other once it is let go") {
  const auto device = openScriptedDevice(
      always({{.name = "a", .issuedAfter = 1'000, .startAfter = 5'000, .length = 2'000},
              {.name = "b", .issuedAfter = 90'000, .startAfter = 95'000, .length = 2'000}}));
  const auto call = device->prepare(scriptedCall());
  device->collector().open({});
  const auto held = device->hold(kSecond);
  device->collector().push(0);
  call->issue();
  device->collector().pop();
  CHECK(device->now() == kStart + 90'000);  // the host is as slow as ever
  CHECK(held->release());
  device->drain();
  Trace trace = device->collector().close();
  trace.iterations.resize(1);
  REQUIRE(trace.kernels.size() == 2);
  CHECK(trace.kernels[0].queued == kStart + 1'000);
  CHECK(trace.kernels[0].start == kStart + 95'000);
  CHECK(trace.kernels[1].queued == kStart + 90'000);
  CHECK(trace.kernels[1].start == trace.kernels[0].end + 1'000);
  CHECK_NOTHROW(attribute(trace));
}

TEST_CASE("a scripted call that synchronises ends its hold") {
  const auto device = openScriptedDevice(always({{.synchronise = true}, {.issuedAfter = 2'000}}));
  const auto call = device->prepare(scriptedCall());
  const auto held = device->hold(kMillisecond);
  call->issue();
  CHECK_FALSE(held->release());
  CHECK(device->now() > kStart + kMillisecond);
}

TEST_CASE("simulated time moves by calls, clears and drains") {
  const auto device = openScriptedDevice(always({{}}));
  const auto call = device->prepare(scriptedCall());
  CHECK(device->now() == kStart);
  call->issue();
  CHECK(device->now() == kStart + 1'000);  // the launch; the kernel runs until 15 us
  device->drain();
  CHECK(device->now() == kStart + 16'000);
  device->clearCaches(L2Mode::Clean);
  CHECK(device->now() == kStart + 17'000);  // the clear runs from 21 to 41 us
  device->drain();
  CHECK(device->now() == kStart + 42'000);
  device->clearCaches(L2Mode::Warm);
  CHECK(device->now() == kStart + 42'000);
  device->drain();
  CHECK(device->now() == kStart + 43'000);
}

TEST_CASE("a call behind a busy device waits for it, whole") {
  const auto device = openScriptedDevice(always({{}, {.issuedAfter = 2'000, .startAfter = 16'000}}));
  const auto call = device->prepare(scriptedCall());
  device->collector().open({});
  call->issue();  // kernels at 5-15 and 16-26 us, the host is back after 2 us
  call->issue();  // would start at 7 us, finds the device free at 26: everything 19 us later
  const Trace trace = device->collector().close();
  REQUIRE(trace.kernels.size() == 4);
  CHECK(trace.kernels[2].start == kStart + 26'000);
  CHECK(trace.kernels[2].end == kStart + 36'000);
  CHECK(trace.kernels[3].start == kStart + 37'000);
  CHECK(trace.kernels[3].queued == kStart + 4'000);
}

TEST_CASE("the timer reads the device's time") {
  const auto device = openScriptedDevice(always({{}}));
  const auto call = device->prepare(scriptedCall());
  const auto timer = device->makeTimer();
  timer->start();
  device->clearCaches(L2Mode::Clean);  // 5 to 25 us
  call->issue();                       // 25 to 35 us
  timer->stop();
  CHECK(timer->elapsed() == 35'000);
  CHECK(device->now() == kStart + 36'000);
}

TEST_CASE("drift multiplies lengths by the speed at the time of the call") {
  Script script = always({{}});
  script.speed = [](Ns now) { return now == kStart ? 1.03 : 2.0; };
  const auto device = openScriptedDevice(std::move(script));
  const Trace trace = pass(*device, 2);
  CHECK(trace.kernels[0].end - trace.kernels[0].start == 10'300);
  CHECK(trace.kernels[1].end - trace.kernels[1].start == 20'000);
}

TEST_CASE("the script is asked for every call of the device's life, recorded or not") {
  std::vector<std::uint64_t> asked;
  const auto device = openScriptedDevice({.kernels = [&](std::uint64_t call) {
    asked.push_back(call);
    return std::vector<ScriptedKernel>(call % 2);
  }});
  device->prepare(scriptedCall())->issue();
  const Trace trace = pass(*device, 3);
  CHECK(asked == std::vector<std::uint64_t>{0, 1, 2, 3});
  CHECK(trace.kernels.size() == 2);
}

TEST_CASE("ids follow push and pop, and a clear carries the one that is pushed") {
  const auto device = openScriptedDevice(always({{}}));
  const auto call = device->prepare(scriptedCall());
  Collector& collector = device->collector();
  collector.open({});
  collector.push(kPrepareId);
  device->clearCaches(L2Mode::Zero);
  collector.push(2);
  call->issue();
  collector.pop();
  collector.pop();
  call->issue();
  const Trace trace = collector.close();
  const ExternalIds ids(trace.externalIds);
  REQUIRE(trace.kernels.size() == 3);
  CHECK(ids[trace.kernels[0].correlationId] == kPrepareId);
  CHECK(ids[trace.kernels[1].correlationId] == 2);
  CHECK(ids[trace.kernels[2].correlationId] == ExternalIds::kNone);
}

TEST_CASE("each way of failing ends in its own error") {
  SECTION("a launch from another thread") {
    const auto device = openScriptedDevice(always({{}, {.name = "stray", .offThread = true}}));
    const Trace trace = pass(*device);
    CHECK(trace.launches[0].threadId != trace.launches[1].threadId);
    CHECK_THROWS_AS(attribute(trace), OffThreadLaunch);
  }
  SECTION("a call that only copies") {
    const auto device = openScriptedDevice(always({{.memop = true}}));
    const Trace trace = pass(*device);
    REQUIRE(trace.memops.size() == 1);
    CHECK(trace.launches[0].kind == LaunchKind::Copy);
    CHECK_THROWS_AS(attribute(trace), NoKernel);
  }
  SECTION("a call that does nothing") {
    const auto device = openScriptedDevice(always({}));
    CHECK_THROWS_AS(attribute(pass(*device)), NoKernel);
  }
  SECTION("a kernel without timestamps") {
    const auto device = openScriptedDevice(always({{.zeroTimestamps = true}}));
    CHECK_THROWS_AS(attribute(pass(*device)), TimestampsMissing);
  }
  SECTION("a lost record that was counted") {
    const auto device = openScriptedDevice(always({{}, {.lost = true}}));
    const Trace trace = pass(*device);
    CHECK(trace.dropped.records == 1);
    CHECK(trace.kernels.size() == 1);
    CHECK(trace.launches.size() == 2);
    CHECK_THROWS_AS(attribute(trace), RecordsLost);
  }
  SECTION("a lost record that nobody counted") {
    const auto device = openScriptedDevice(always({{}, {.lost = true, .uncounted = true}}));
    const Trace trace = pass(*device);
    CHECK(trace.dropped.records == 0);
    CHECK_THROWS_AS(attribute(trace), RecordsLost);
  }
  SECTION("a counter that does not work") {
    Script script = always({{}, {.lost = true}});
    script.dropCounterWorks = false;
    const auto device = openScriptedDevice(std::move(script));
    CHECK_FALSE(device->proveDropCounter());
    const Trace trace = pass(*device);
    CHECK_FALSE(trace.dropped.proven);
    CHECK(trace.dropped.records == 0);
    CHECK_THROWS_AS(attribute(trace), DropCounterUnproven);
  }
}

TEST_CASE("a buffer below the script's need loses the last record of every call") {
  Script script = always({{.name = "a"}, {.name = "b"}});
  script.needsBufferBytes = 1024;
  const auto device = openScriptedDevice(std::move(script));
  CHECK(device->proveDropCounter());
  const Trace small = pass(*device, 3, 1023);
  CHECK(small.dropped.records == 3);
  CHECK(small.kernels.size() == 3);
  CHECK(small.launches.size() == 6);
  CHECK_THROWS_AS(attribute(small), RecordsLost);
  const Trace enough = pass(*device, 3, 1024);
  CHECK(enough.dropped.records == 0);
  CHECK(enough.kernels.size() == 6);
  CHECK_NOTHROW(attribute(enough));
}

TEST_CASE("what a script throws leaves the call, and the device goes on") {
  const auto device = openScriptedDevice({.kernels = [](std::uint64_t call) -> std::vector<ScriptedKernel> {
    if (call == 0) throw DeviceLost("scripted to fail");
    return {{}};
  }});
  const auto call = device->prepare(scriptedCall());
  device->collector().open({});
  CHECK_THROWS_AS(call->issue(), DeviceLost);
  device->collector().discard();
  CHECK_FALSE(device->collector().isOpen());
  CHECK(pass(*device).kernels.size() == 1);
  CHECK_THROWS_AS(openScriptedDevice({}), BadInput);
}

TEST_CASE("memory counters are scripted, too, and are never read while records are collected") {
  Script script = always({{}});
  script.counters = [](L2Mode mode, std::uint32_t calls) {
    CounterReading reading;
    reading.kernels = {"k"};
    reading.calls.assign(calls, {{.dramRead = mode == L2Mode::Warm ? 0 : 4096}});
    return reading;
  };
  const auto device = openScriptedDevice(std::move(script));
  const auto call = device->prepare(scriptedCall());
  const CounterReading clean = device->readCounters(*call, L2Mode::Clean, 3);
  CHECK(clean.l2 == "clean");
  REQUIRE(clean.calls.size() == 3);
  CHECK(clean.calls[2][0].dramRead == 4096);
  CHECK(device->readCounters(*call, L2Mode::Warm, 1).calls.at(0).at(0).dramRead == 0);
  CHECK_THROWS_AS(device->readCounters(*call, L2Mode::Warm, 0), BadInput);
  device->collector().open({});
  CHECK_THROWS_AS(device->readCounters(*call, L2Mode::Warm, 1), InternalError);
  device->collector().discard();
  CHECK_NOTHROW(device->readCounters(*call, L2Mode::Warm, 1));
  std::thread([&] { CHECK_THROWS_AS(device->readCounters(*call, L2Mode::Warm, 1), WrongThread); }).join();
}

TEST_CASE("a device without memory counters says so") {
  const auto device = openScriptedDevice(always({{}}));
  const auto call = device->prepare(scriptedCall());
  try {
    device->readCounters(*call, L2Mode::Clean, 1);
    FAIL("counted");
  } catch (const NotSupported& error) {
    CHECK(error.info().message == "The scripted device has no memory counters");
    CHECK_FALSE(error.info().remedy.empty());
  }
}

TEST_CASE("the scripted device is checked like any other") {
  const auto device = openScriptedDevice(always({{}}));
  CHECK(device->info().figures == FigureKind::Simulated);
  CHECK(device->l2Label(L2Mode::Clean) == "clean");
  const auto call = device->prepare(scriptedCall());
  std::thread([&] { CHECK_THROWS_AS(call->issue(), WrongThread); }).join();
  CHECK_THROWS_AS(device->collector().close(), InternalError);
  const auto memory = device->allocate(3);
  device->fill(*memory, std::byte{4});
  std::vector<std::byte> back(3);
  device->copyToHost(back, *memory);
  CHECK(back == std::vector<std::byte>(3, std::byte{4}));
}

}  // namespace
}  // namespace opscope::scripted
