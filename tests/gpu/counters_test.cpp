// SPDX-License-Identifier: Apache-2.0
// What the memory moved, by the GPU's own counters: the known answers of docs/method.md, and that a counter
// pass leaves the timed ones as they were.
#include <catch2/catch_approx.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <cstdio>

#include "gpu/traffic.h"
#include "timing/launch_thread.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Approx;

namespace {

/// The reading, or a skip with the sentence of what is missing: a machine may keep its counters to
/// administrators.
CounterReading count(Device& device, Call& call, L2Mode mode, std::uint32_t calls = kCalls) {
  try {
    return device.readCounters(call, mode, calls);
  } catch (const DeviceUnavailable& error) {
    SKIP(error.what());
  } catch (const LibraryMissing& error) {
    SKIP(error.what());
  }
  return {};  // not reached: SKIP ends the test
}

CounterReading countMover(Device& device, const std::string& kernel, std::int64_t bytes, L2Mode mode) {
  Mover mover(device, kernel, bytes);
  return count(device, mover.call(), mode);
}

}  // namespace

TEST_CASE("a clean clear is cold and leaves nothing to write back; zeros do") {
  const auto device = gpu();
  const double footprint = 64 * kMB;
  const CounterReading clean = countMover(*device, "read16", 64 * kMB, L2Mode::Clean);
  CHECK(clean.l2 == "clean");
  CHECK(clean.l2Bytes == device->info().l2Bytes);
  CHECK(readPerCall(clean) == Approx(footprint).epsilon(0.01));
  CHECK(writtenPerCall(clean) < 1e6);
  const CounterReading zero = countMover(*device, "read16", 64 * kMB, L2Mode::Zero);
  CHECK(readPerCall(zero) == Approx(footprint).epsilon(0.01));
  CHECK(writtenPerCall(zero) > 15e6);
  const CounterReading warm = countMover(*device, "read16", 2 * kMB, L2Mode::Warm);
  CHECK(readPerCall(warm) < 0.05 * 2 * kMB);
  CHECK(writtenPerCall(warm) < 0.05 * 2 * kMB);
}

TEST_CASE("the clear is not in what is counted, and every kernel is counted by itself") {
  const auto device = gpu();
  const std::int64_t bytes = 2 * kMB;
  const KernelStep copy = Mover::stepFor(*device, "copy16", bytes);
  const KernelStep read = Mover::stepFor(*device, "read16", bytes);
  Program program(*device, bytes / 4, {read, copy, read});
  for (const L2Mode mode : {L2Mode::Clean, L2Mode::Zero}) {
    const CounterReading reading = count(*device, *program.call, mode);
    CHECK(reading.kernels == std::vector<std::string>{"read16", "copy16", "read16"});
    CHECK(reading.copies == 0);
    REQUIRE(reading.calls.size() == kCalls);
    for (const auto& kernels : reading.calls) {
      REQUIRE(kernels.size() == 3);
      // The clear reads or writes twice L2 and would drown these: the first kernel finds a cold cache, the
      // others what the first has read.
      CHECK(static_cast<double>(kernels[0].dramRead) == Approx(2 * kMB).epsilon(0.05));
      CHECK(kernels[1].dramRead < bytes / 10);
      CHECK(kernels[2].dramRead < bytes / 10);
      for (const MemoryTraffic& kernel : kernels) {
        CHECK(kernel.l2 >= 2 * kMB);
        CHECK(kernel.l2 < 20 * kMB);
        CHECK(kernel.profiled > 0);
      }
    }
  }
}

TEST_CASE("a graph is counted as a whole, and copies are said not to be counted beside kernels") {
  const auto device = gpu();
  const std::int64_t bytes = 2 * kMB;
  const KernelStep read = Mover::stepFor(*device, "read16", bytes);
  const KernelStep copy = Mover::stepFor(*device, "copy16", bytes);
  Program graph(*device, bytes / 4, {read, copy, read}, 0, true);
  const CounterReading together = count(*device, *graph.call, L2Mode::Clean);
  CHECK(together.kernels == std::vector<std::string>{"read16", "copy16", "read16"});
  CHECK(together.together);
  REQUIRE(together.calls.size() == kCalls);
  CHECK(together.calls[0].size() == 1);
  std::printf("GPU: a graph of 3 kernels as a whole: DRAM read %.2f MB, written %.2f MB, L2 %.2f MB\n",
              megabytes(readPerCall(together)), megabytes(writtenPerCall(together)),
              megabytes(medianPerCall(together, [](const MemoryTraffic& t) { return t.l2; })));
  CHECK(readPerCall(together) == Approx(2 * kMB).epsilon(0.10));
  // The same kernels launched one by one: the two ways of counting agree on what L2 saw.
  Program separate(*device, bytes / 4, {read, copy, read});
  const CounterReading each = count(*device, *separate.call, L2Mode::Clean);
  CHECK_FALSE(each.together);
  const auto l2 = [](const MemoryTraffic& t) { return t.l2; };
  std::printf("GPU: the same kernels one by one: DRAM read %.2f MB, written %.2f MB, L2 %.2f MB\n",
              megabytes(readPerCall(each)), megabytes(writtenPerCall(each)),
              megabytes(medianPerCall(each, l2)));
  CHECK(medianPerCall(together, l2) == Approx(medianPerCall(each, l2)).epsilon(0.10));

  KernelStep memop;
  memop.kind = KernelStep::Kind::Copy;
  memop.args = {"y", "x"};
  Program mixed(*device, bytes / 4, {read, memop});
  const CounterReading partial = count(*device, *mixed.call, L2Mode::Clean);
  CHECK(partial.kernels == std::vector<std::string>{"read16"});
  CHECK(partial.copies == 1);
  CHECK_FALSE(partial.together);
  CHECK(partial.calls.at(0).size() == 1);
}

TEST_CASE("a counter pass leaves the timed passes as they were") {
  const auto device = gpu();
  const int core = pinThisThread(device->info().nearbyCpus);  // as the engine does
  keepOtherThreadsOff(core);
  constexpr std::int64_t kElements = 1 << 20;
  Program program(*device, kElements, {scaleStep(kElements), scaleStep(kElements)});
  const auto timed = [&](const char* when) {
    const Pass pass = measure(*device, *program.call, {.iterations = 200});
    requireMeasured(pass);
    std::vector<double> latency;
    for (const Sample& sample : pass.samples) latency.push_back(static_cast<double>(sample.latency));
    const double wall = static_cast<double>(pass.loopWall) / 200;
    std::printf("GPU: two kernels, %s: busy %.0f ns, latency %.0f ns, wall per iteration %.2f us\n", when,
                medianBusy(pass), medianOf(latency), wall / 1e3);
    return medianBusy(pass);
  };
  const auto counted = [&](std::uint32_t calls) {
    const auto began = std::chrono::steady_clock::now();
    const CounterReading reading = count(*device, *program.call, L2Mode::Clean, calls);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    std::printf("GPU: a counter pass of %u calls took %.1f ms\n", calls, took.count());
    return reading;
  };
  timed("first");
  const double before = timed("before any counter pass");
  const CounterReading reading = counted(kCalls);
  const double after = timed("after a counter pass");
  const double margin = std::max(0.01 * before, 2.0 * static_cast<double>(device->info().timestampTick));
  CHECK(after == Approx(before).margin(margin));
  timed("once more");
  // And again: nothing of the first pass is in the way of the second.
  CHECK(counted(1).kernels == reading.kernels);
  CHECK(timed("after another counter pass") == Approx(before).margin(margin));
  timed("once more");
}

TEST_CASE("counters are refused while records are collected") {
  const auto device = gpu();
  Mover mover(*device, "read16", kMB);
  device->collector().open({});
  CHECK_THROWS_AS(device->readCounters(mover.call(), L2Mode::Warm, 1), InternalError);
  device->collector().discard();
  CHECK_THROWS_AS(device->readCounters(mover.call(), L2Mode::Warm, 0), BadInput);
}
