// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <catch2/catch_test_macros.hpp>

#include "base/error.h"
#include "host_fixture.h"

using namespace opscope;
using namespace opscope::host;

TEST_CASE("nothing that is issued behind a hold starts before it is let go") {
  std::atomic<int> ran = 0;
  HostFixture host([&](CallContext& context) {
    context.launch("main", [&] { ++ran; });
    context.launch("beside", [&] { ++ran; }, 1);
  });
  const auto call = host.prepare();
  call->issue();
  host.device->drain();
  REQUIRE(ran == 2);

  Collector& collector = host.device->collector();
  collector.open({.bufferBytes = 1 << 20});
  const auto held = host.device->hold(3'600 * kSecond);
  call->issue();
  const Ns issued = host.device->now();
  CHECK(ran == 2);
  CHECK(held->release());
  host.device->drain();
  CHECK(ran == 4);
  const Trace trace = collector.close();
  REQUIRE(trace.kernels.size() == 2);
  for (const KernelRecord& kernel : trace.kernels) {
    CHECK(kernel.queued <= issued);
    CHECK(kernel.start >= issued);
  }
}

TEST_CASE("a call that waits for what is held goes on when patience ends, and that is told") {
  HostFixture host([](CallContext& context) {
    context.launch("first", [] {});
    context.synchronise();
    context.launch("second", [] {});
  });
  const auto call = host.prepare();
  const auto held = host.device->hold(5 * kMillisecond);
  call->issue();
  CHECK_FALSE(held->release());
  host.device->drain();
  // And the next hold is a new one.
  const auto next = host.device->hold(3'600 * kSecond);
  CHECK(next->release());
  CHECK(next->release());
  host.device->drain();
}

TEST_CASE("a hold that is forgotten lets go") {
  HostFixture host([](CallContext& context) { context.launch("f", [] {}); });
  const auto call = host.prepare();
  {
    const auto held = host.device->hold(3'600 * kSecond);
  }
  call->issue();
  host.device->drain();
  SUCCEED();
}

TEST_CASE("the host device has no graphs, and says so") {
  HostFixture host([](CallContext& context) { context.launch("f", [] {}); });
  const auto call = host.prepare();
  CHECK_THROWS_AS(host.device->captureGraph(*call, 2), NotSupported);
}
