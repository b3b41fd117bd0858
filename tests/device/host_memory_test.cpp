// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <limits>

#include "base/error.h"
#include "device/host/cache_clearer.h"
#include "device/host_fixture.h"

namespace opscope::host {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

constexpr std::int64_t kMega = 1 << 20;

TEST_CASE("memory that does not exist is refused, with the size and what there is") {
  HostFixture host([](CallContext&) {});
  CHECK_THROWS_MATCHES(host.device->allocate(10'000'000'000'000), OutOfMemory,
                       MessageMatches(ContainsSubstring("10.00 TB") && ContainsSubstring("available")));
  CHECK_THROWS_AS(host.device->allocate(std::numeric_limits<std::size_t>::max()), OutOfMemory);
  CHECK_THROWS_AS(host.device->allocate(std::numeric_limits<std::size_t>::max() / 2), OutOfMemory);
}

TEST_CASE("memory comes aligned, of the size that was asked for, even none") {
  HostFixture host([](CallContext&) {});
  for (const std::size_t bytes : {0UL, 1UL, 4096UL, 100'000UL}) {
    const auto memory = host.device->allocate(bytes);
    CHECK(memory->bytes() == bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(memory->address()) % 4096 == 0);
    CHECK_NOTHROW(host.device->fill(*memory, std::byte{1}));
  }
}

TEST_CASE("bytes go to the device and come back") {
  HostFixture host([](CallContext&) {});
  const auto memory = host.device->allocate(4);
  const std::vector<std::byte> sent{std::byte{1}, std::byte{2}, std::byte{3}};
  host.device->fill(*memory, std::byte{0xee});
  host.device->copyToDevice(*memory, sent);
  host.device->copyToDevice(*memory, {});
  std::vector<std::byte> back(4);
  host.device->copyToHost(back, *memory);
  CHECK(back == std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{0xee}});
  std::vector<std::byte> five(5);
  CHECK_THROWS_AS(host.device->copyToDevice(*memory, five), BadInput);
  CHECK_THROWS_AS(host.device->copyToHost(five, *memory), BadInput);
}

TEST_CASE("transfers wait for the kernels before them, and are recorded as what they are") {
  Gate gate;
  std::byte* data = nullptr;
  HostFixture host([&](CallContext& context) {
    context.launch(
        "k",
        [&] {
          gate.wait();
          data[0] = std::byte{9};
        },
        1);
  });
  const auto memory = host.device->allocate(2);
  data = static_cast<std::byte*>(memory->address());
  host.device->fill(*memory, std::byte{5});
  Collector& collector = host.device->collector();
  collector.open({});
  host.prepare()->issue();
  gate.open();
  std::vector<std::byte> back(2);
  host.device->copyToHost(back, *memory);
  host.device->fill(*memory, std::byte{0});
  host.device->copyToDevice(*memory, back);
  const Trace trace = collector.close();
  CHECK(back == std::vector<std::byte>{std::byte{9}, std::byte{5}});
  REQUIRE(trace.memops.size() == 3);
  CHECK(trace.memops[0].kind == MemopKind::CopyDtoH);
  CHECK(trace.memops[1].kind == MemopKind::Set);
  CHECK(trace.memops[2].kind == MemopKind::CopyHtoD);
  CHECK(launchOf(trace, trace.memops[1].correlationId)->kind == LaunchKind::Set);
}

TEST_CASE("memory that a queued kernel uses outlives it") {
  Gate gate;
  std::byte* data = nullptr;
  HostFixture host([&](CallContext& context) {
    context.launch("k", [&] {
      gate.wait();
      data[0] = std::byte{1};
    });
  });
  auto memory = host.device->allocate(1);
  data = static_cast<std::byte*>(memory->address());
  host.prepare()->issue();
  gate.open();
  memory.reset();  // under AddressSanitizer: no write after free
  CHECK_NOTHROW(host.device->drain());
}

TEST_CASE("what a clear is called says whether it covers the cache") {
  const auto label = [](std::int64_t cache, L2Mode mode) {
    return CacheClearer(cache, 64 * kMega).label(mode);
  };
  CHECK(label(8 * kMega, L2Mode::Clean) == "clean");
  CHECK(label(32 * kMega, L2Mode::Clean) == "clean");
  CHECK(label(32 * kMega + 1, L2Mode::Clean) == "clean (partial)");
  CHECK(label(300 * kMega, L2Mode::Zero) == "zero (partial)");
  CHECK(label(300 * kMega, L2Mode::Warm) == "warm");
  CHECK(label(0, L2Mode::Clean) == "clean (partial)");
  CHECK(CacheClearer(8 * kMega, 64 * kMega).bufferBytes() == 16 * kMega);
  CHECK(CacheClearer(300 * kMega, 64 * kMega).bufferBytes() == 64 * kMega);
  CHECK(CacheClearer(0, 64 * kMega).bufferBytes() == 64 * kMega);
}

TEST_CASE("clearing is a labelled kernel of the main stream, and warm is nothing at all") {
  HostFixture host([](CallContext&) {});
  Collector& collector = host.device->collector();
  const auto cleared = [&](L2Mode mode) {
    collector.open({});
    collector.push(kPrepareId);
    host.device->clearCaches(mode);
    collector.pop();
    return collector.close();
  };
  for (const L2Mode mode : {L2Mode::Clean, L2Mode::Zero}) {
    const Trace trace = cleared(mode);
    REQUIRE(trace.kernels.size() == 1);
    CHECK(idOf(trace, trace.kernels[0]) == kPrepareId);
    CHECK(trace.kernels[0].streamId == 0);
    CHECK(trace.launches.size() == 1);
  }
  const Trace warm = cleared(L2Mode::Warm);
  CHECK(warm.kernels.empty());
  CHECK(warm.launches.empty());
  CHECK_FALSE(host.device->clearCountsInBudget());
}

TEST_CASE("a clear really runs over its buffer") {
  Recorder recorder;
  FailureLatch failure;
  cpu_set_t anywhere;
  CPU_ZERO(&anywhere);
  CacheClearer clearer(0, 64 * kMega);
  Streams streams(recorder, failure, anywhere);
  for (const L2Mode mode : {L2Mode::Clean, L2Mode::Zero}) {
    recorder.open(1 << 20);
    clearer.clear(streams, mode);
    streams.drain();
    Trace trace = recorder.close();
    streams.moveRecordsTo(trace);
    REQUIRE(trace.kernels.size() == 1);
    // A loop that was optimised away takes nanoseconds; no core touches 1,048,576 lines in less than 50 us.
    CHECK(trace.kernels[0].end - trace.kernels[0].start > 50 * kMicrosecond);
  }
}

}  // namespace
}  // namespace opscope::host
