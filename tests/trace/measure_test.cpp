// SPDX-License-Identifier: Apache-2.0
#include "trace/measure.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "trace/gaps.h"
#include "trace/trace_builder.h"

using namespace opscope;
using opscope::test::TraceBuilder;

TEST_CASE("busy is the union: concurrent kernels are not counted twice, gaps not at all") {
  TraceBuilder b(2);
  b.launched(0, 0, 1, 100, 120, 7);
  b.launched(0, 1, 2, 110, 130, 8);  // overlaps by 10
  b.launched(0, 2, 3, 150, 160, 7);  // after a gap of 20
  b.launched(1, 3, 4, 1000, 1007);
  const auto samples = measure(b.trace, attribute(b.trace));
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].busy == 40);
  CHECK(samples[0].latency == 60);
  CHECK(samples[0].gap() == 20);
  CHECK(samples[0].kernels == 3);
  CHECK(samples[1].busy == 7);
  CHECK(samples[1].latency == 7);
}

TEST_CASE("a kernel inside another adds nothing, one of no length neither") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 100, 200);
  b.launched(0, 1, 2, 120, 130);
  b.launched(0, 2, 3, 300, 300);
  const auto samples = measure(b.trace, attribute(b.trace));
  CHECK(samples[0].busy == 100);
  CHECK(samples[0].latency == 200);
}

TEST_CASE("copies are counted and timed, never in busy") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 100, 110);
  b.memop(b.launch(0, 1, 2, LaunchKind::Copy), 120, 150);
  b.memop(b.launch(0, 2, 3, LaunchKind::Copy), 140, 160);
  b.launched(0, 3, 4, 170, 180);
  const auto samples = measure(b.trace, attribute(b.trace));
  CHECK(samples[0].busy == 20);
  CHECK(samples[0].memops == 2);
  CHECK(samples[0].memopTime == 40);
}

TEST_CASE("epoch-sized instants keep every nanosecond") {
  const Ns epoch = 1'764'444'444'123'456'789;
  TraceBuilder b(1);
  b.launched(0, epoch, epoch + 1, epoch + 10, epoch + 17);
  CHECK(measure(b.trace, attribute(b.trace))[0].busy == 7);
}

TEST_CASE(
    "for any trace: union <= sum, union + gaps = latency, parts add up, order of records does not matter") {
  std::mt19937_64 random(20260501);
  const auto pick = [&](Ns low, Ns high) {
    return low + static_cast<Ns>(random() % static_cast<std::uint64_t>(high - low));
  };
  for (int round = 0; round < 200; ++round) {
    TraceBuilder b(3);
    std::vector<Ns> sums(3);
    for (int k = 0; k < 30; ++k) {
      const auto i = static_cast<std::uint64_t>(k % 3);
      const Ns base = 1'000'000 + static_cast<Ns>(i) * 100'000;
      const Ns start = base + pick(0, 20'000), launch = base + pick(-5'000, 20'000);
      const Ns length = pick(1, 1'500);
      KernelRecord& kernel = b.launched(i, launch, launch + pick(1, 2'000), start, start + length,
                                        static_cast<std::uint32_t>(pick(1, 4)));
      if (pick(0, 2) == 1) kernel.queued = launch + 1;
      sums[i] += length;
      if (pick(0, 4) == 0) {
        const Ns copy = base + pick(0, 20'000);
        b.memop(b.launch(i, launch, launch + 5, LaunchKind::Copy), copy, copy + pick(1, 3'000));
      }
      if (pick(0, 4) == 0) {
        const Ns overhead = base + pick(0, 20'000);
        b.trace.overheads.push_back({.start = overhead, .end = overhead + pick(1, 3'000)});
      }
    }
    const Attribution attribution = attribute(b.trace);
    const auto samples = measure(b.trace, attribution);
    const auto gaps = findGaps(b.trace, attribution, clockBounds(b.trace, attribution, samples));
    std::vector<Ns> gapTime(3);
    for (const Gap& gap : gaps) {
      CHECK(gap.copy + gap.host + gap.instrument + gap.device == gap.length());
      CHECK(std::min({gap.copy, gap.host, gap.instrument, gap.device}) >= 0);
      gapTime[gap.iteration] += gap.length();
    }
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(samples[i].busy <= sums[i]);
      CHECK(samples[i].busy + gapTime[i] == samples[i].latency);
    }

    Trace shuffled = b.trace;
    std::shuffle(shuffled.kernels.begin(), shuffled.kernels.end(), random);
    std::shuffle(shuffled.memops.begin(), shuffled.memops.end(), random);
    std::shuffle(shuffled.launches.begin(), shuffled.launches.end(), random);
    std::shuffle(shuffled.externalIds.begin(), shuffled.externalIds.end(), random);
    const auto again = measure(shuffled, attribute(shuffled));
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(again[i].busy == samples[i].busy);
      CHECK(again[i].latency == samples[i].latency);
    }
  }
}
