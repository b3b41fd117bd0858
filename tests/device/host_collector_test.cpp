// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <set>
#include <thread>

#include "base/error.h"
#include "device/host_fixture.h"

namespace opscope::host {
namespace {

std::uint32_t thisThread() {
  return static_cast<std::uint32_t>(::gettid());
}

TEST_CASE("a kernel carries the innermost id that its thread had pushed") {
  HostFixture host([](CallContext& context) { context.launch("k", [] {}); });
  const auto call = host.prepare();
  Collector& collector = host.device->collector();
  collector.open({});
  collector.push(5);
  call->issue();
  collector.push(7);
  call->issue();
  collector.pop();
  call->issue();
  collector.pop();
  call->issue();
  collector.pop();  // one too many: nothing to pop, nothing happens
  call->issue();
  host.device->drain();
  const Trace trace = collector.close();
  const auto kernels = kernelsByLaunch(trace);
  REQUIRE(kernels.size() == 5);
  CHECK(idOf(trace, kernels[0]) == 5);
  CHECK(idOf(trace, kernels[1]) == 7);
  CHECK(idOf(trace, kernels[2]) == 5);
  CHECK_FALSE(idOf(trace, kernels[3]));
  CHECK_FALSE(idOf(trace, kernels[4]));
  CHECK(trace.externalIds.size() == 3);
}

TEST_CASE("a launch from another thread carries no id, and its record names that thread") {
  std::uint32_t other = 0;
  HostFixture host([&](CallContext& context) {
    context.launch("here", [] {});
    std::thread([&] {
      other = thisThread();
      context.launch("elsewhere", [] {});
    }).join();
  });
  const Trace trace = host.record(*host.prepare(), 3);
  const KernelRecord& here = kernelNamed(trace, "here");
  const KernelRecord& elsewhere = kernelNamed(trace, "elsewhere");
  CHECK(idOf(trace, here) == 3);
  CHECK_FALSE(idOf(trace, elsewhere));
  REQUIRE(launchOf(trace, here.correlationId) != nullptr);
  REQUIRE(launchOf(trace, elsewhere.correlationId) != nullptr);
  CHECK(launchOf(trace, here.correlationId)->threadId == thisThread());
  CHECK(launchOf(trace, elsewhere.correlationId)->threadId == other);
  CHECK(other != thisThread());
}

TEST_CASE("every thread has an id stack of its own") {
  Collector* collector = nullptr;
  HostFixture host([&](CallContext& context) {
    std::thread([&] {
      collector->push(99);
      context.launch("theirs", [] {});
      collector->pop();
    }).join();
    context.launch("ours", [] {});
  });
  collector = &host.device->collector();
  const Trace trace = host.record(*host.prepare(), 1);
  CHECK(idOf(trace, kernelNamed(trace, "theirs")) == 99);
  CHECK(idOf(trace, kernelNamed(trace, "ours")) == 1);
}

TEST_CASE("ids of one device are not seen by another") {
  const auto launchK = [](CallContext& context) { context.launch("k", [] {}); };
  HostFixture a(launchK);
  HostFixture b(launchK);
  a.device->collector().open({});
  a.device->collector().push(4);
  b.device->collector().open({});
  b.prepare()->issue();
  const Trace ofB = b.device->collector().close();
  a.prepare()->issue();
  const Trace ofA = a.device->collector().close();
  REQUIRE(ofA.kernels.size() == 1);
  REQUIRE(ofB.kernels.size() == 1);
  CHECK(idOf(ofA, ofA.kernels[0]) == 4);
  CHECK_FALSE(idOf(ofB, ofB.kernels[0]));
}

TEST_CASE("records tell the order of what happened") {
  HostFixture host([](CallContext& context) {
    for (int i = 0; i < 20; ++i) context.launch("k" + std::to_string(i), [] {});
  });
  const Ns before = host.device->now();
  const Trace trace = host.record(*host.prepare());
  const Ns after = host.device->now();
  const auto kernels = kernelsByLaunch(trace);
  REQUIRE(kernels.size() == 20);
  REQUIRE(trace.launches.size() == 20);
  CHECK(trace.dropped.records == 0);
  Ns freeFrom = before;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelRecord& kernel = kernels[i];
    CHECK(trace.names.text(kernel.nameId) == "k" + std::to_string(i));
    CHECK(kernel.queued <= kernel.start);
    CHECK(kernel.start <= kernel.end);
    CHECK(freeFrom <= kernel.start);  // one stream runs one kernel at a time
    freeFrom = kernel.end;
    const LaunchRecord* launch = launchOf(trace, kernel.correlationId);
    REQUIRE(launch != nullptr);
    CHECK(launch->kind == LaunchKind::Kernel);
    CHECK(launch->start <= kernel.queued);
    CHECK(kernel.queued <= launch->end);
    CHECK(trace.names.text(launch->apiNameId) == "host launch");
  }
  CHECK(freeFrom <= after);
  CHECK(trace.shapes == std::vector<LaunchShape>{LaunchShape{}});
}

TEST_CASE("the buffer bounds all records of a pass, and what does not fit is counted") {
  Gate gate;
  HostFixture host([&](CallContext& context) {
    context.launch("waits", [&] { gate.wait(); });
    context.launch("b", [] {});
    context.launch("c", [] {});
    gate.open();
  });
  // While the first kernel waits, all three launches and ids are recorded; then come the kernels, one by one.
  const std::int64_t launches = 3 * (sizeof(LaunchRecord) + sizeof(ExternalIdRecord));
  const auto call = host.prepare();
  SECTION("one byte short of the third kernel") {
    const Trace trace = host.record(*call, 0, launches + 3 * sizeof(KernelRecord) - 1);
    CHECK(trace.launches.size() == 3);
    CHECK(trace.externalIds.size() == 3);
    CHECK(trace.kernels.size() == 2);
    CHECK(trace.dropped.records == 1);
  }
  SECTION("exactly enough") {
    const Trace trace = host.record(*call, 0, launches + 3 * sizeof(KernelRecord));
    CHECK(trace.kernels.size() == 3);
    CHECK(trace.dropped.records == 0);
  }
  SECTION("8 bytes hold nothing: a launch, an id and a kernel are lost three times") {
    const Trace trace = host.record(*call, 0, 8);
    CHECK(trace.kernels.empty());
    CHECK(trace.launches.empty());
    CHECK(trace.dropped.records == 9);
  }
}

TEST_CASE("the count of drops starts anew with each collection") {
  HostFixture host([](CallContext& context) { context.launch("k", [] {}); });
  const auto call = host.prepare();
  CHECK(host.record(*call, 0, 8).dropped.records == 3);
  const Trace trace = host.record(*call);
  CHECK(trace.dropped.records == 0);
  CHECK(trace.kernels.size() == 1);
}

TEST_CASE("the drop counter is unknown until it was seen to count") {
  HostFixture host([](CallContext& context) { context.launch("k", [] {}); });
  const auto call = host.prepare();
  CHECK_FALSE(host.record(*call).dropped.proven);
  CHECK(host.device->proveDropCounter());
  const Trace trace = host.record(*call);
  CHECK(trace.dropped.proven);
  CHECK(trace.dropped.records == 0);
  CHECK(trace.kernels.size() == 1);
  CHECK(host.device->proveDropCounter());
}

TEST_CASE("a lost device proves nothing, and leaves the collector closed") {
  HostFixture host([](CallContext& context) { context.launch("k", [] { throw 1; }); });
  host.prepare()->issue();
  CHECK_THROWS_AS(host.device->drain(), DeviceLost);
  CHECK_THROWS_AS(host.device->proveDropCounter(), DeviceLost);
  CHECK_FALSE(host.device->collector().isOpen());
}

TEST_CASE("a collection holds what was launched inside it, and its names only") {
  std::string name = "before";
  Gate gate;
  bool waits = true;
  HostFixture host([&](CallContext& context) {
    context.launch(name, [&, hold = waits] {
      if (hold) gate.wait();
    });
  });
  const auto call = host.prepare();
  call->issue();  // still in flight when the collection opens
  std::thread opener([&] { gate.open(); });
  host.device->collector().open({});
  opener.join();
  waits = false;
  name = "inside";
  call->issue();
  host.device->drain();
  const Trace trace = host.device->collector().close();
  name = "after";
  call->issue();
  host.device->drain();
  REQUIRE(trace.kernels.size() == 1);
  CHECK(trace.names.text(trace.kernels[0].nameId) == "inside");
  CHECK(trace.names.size() == 2);  // and the launch call's
}

TEST_CASE("discarding throws the records away and lets the collector be opened again") {
  HostFixture host([](CallContext& context) { context.launch("k", [] {}); });
  const auto call = host.prepare();
  Collector& collector = host.device->collector();
  CHECK_FALSE(collector.isOpen());
  collector.discard();
  collector.open({});
  CHECK(collector.isOpen());
  collector.push(6);
  call->issue();
  collector.discard();  // in flight, and with an id still pushed
  CHECK_FALSE(collector.isOpen());
  collector.open({});
  call->issue();
  const Trace trace = collector.close();
  REQUIRE(trace.kernels.size() == 1);
  CHECK_FALSE(idOf(trace, trace.kernels[0]));
}

TEST_CASE("a collector that is misused says so") {
  HostFixture host([](CallContext&) {});
  Collector& collector = host.device->collector();
  CHECK_THROWS_AS(collector.close(), InternalError);
  CHECK_THROWS_AS(collector.open({.bufferBytes = 0}), BadInput);
  CHECK_THROWS_AS(collector.open({.bufferBytes = -1}), BadInput);
  collector.open({});
  CHECK_THROWS_AS(collector.open({}), InternalError);
  CHECK_THROWS_AS(host.device->proveDropCounter(), InternalError);
  CHECK(collector.close().kernels.empty());
}

TEST_CASE("launches from many threads on many streams are all recorded") {
  constexpr int kThreads = 4;
  constexpr int kEach = 100;
  HostFixture host([&](CallContext& context) {
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&context, t] {
        for (int i = 0; i < kEach; ++i) context.launch("k", [] {}, (t + static_cast<std::uint32_t>(i)) % 5);
      });
    for (auto& thread : threads) thread.join();
  });
  const Trace trace = host.record(*host.prepare());
  CHECK(trace.kernels.size() == kThreads * kEach);
  CHECK(trace.launches.size() == kThreads * kEach);
  CHECK(trace.externalIds.empty());
  std::set<std::uint32_t> correlations;
  std::set<std::uint32_t> threads;
  for (const LaunchRecord& launch : trace.launches) {
    correlations.insert(launch.correlationId);
    threads.insert(launch.threadId);
  }
  CHECK(correlations.size() == kThreads * kEach);
  CHECK(threads.size() == kThreads);
  for (const KernelRecord& kernel : trace.kernels) CHECK(correlations.count(kernel.correlationId) == 1);
}

}  // namespace
}  // namespace opscope::host
