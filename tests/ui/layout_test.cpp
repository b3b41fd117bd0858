// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "state/kernel_groups.h"
#include "state/lane_layout.h"
#include "state/navigation.h"
#include "state/strip_layout.h"
#include "ui/synthetic_run.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

std::vector<const Lane*> lanesOf(const IterationLanes& laid, LaneKind kind) {
  std::vector<const Lane*> found;
  for (const Lane& lane : laid.lanes) {
    if (lane.kind == kind) found.push_back(&lane);
  }
  return found;
}

}  // namespace

TEST_CASE("one iteration becomes lanes, from its first kernel") {
  const auto run = uitest::syntheticRun();
  const PassIndex index(run->passes[1]);
  const IterationLanes laid = layOut(index, 3, true);
  REQUIRE(lanesOf(laid, LaneKind::Host).size() == 1);
  CHECK(lanesOf(laid, LaneKind::Host)[0]->items.size() == 5);
  const auto busy = lanesOf(laid, LaneKind::Busy);
  REQUIRE(busy.size() == 1);
  CHECK(busy[0]->items == std::vector<LaneItem>{{0, 3'000, 0}, {10'400, 15'000, 1}, {15'700, 18'000, 2}});
  const auto gaps = lanesOf(laid, LaneKind::Gaps);
  REQUIRE(gaps.size() == 1);
  REQUIRE(gaps[0]->items.size() == 2);
  CHECK(gaps[0]->items[0].start == 3'000);
  CHECK(gaps[0]->items[0].end == 10'400);
  const auto streams = lanesOf(laid, LaneKind::Stream);
  REQUIRE(streams.size() == 2);
  CHECK(streams[0]->id == 7);
  CHECK(streams[0]->items.size() == 3);
  CHECK(streams[1]->id == 9);
  CHECK(lanesOf(laid, LaneKind::Copies).size() == 1);
  CHECK(laid.extent == Interval{-5'000, 18'000});
}

TEST_CASE("overlapping kernels of one stream get sub-lanes and none is lost") {
  uitest::TraceBuilder builder;
  builder.begin();
  builder.kernel("a", 0, 100, 7, -900);
  builder.kernel("b", 50, 100, 7, -800);
  builder.kernel("c", 60, 10, 7, -700);
  builder.kernel("d", 100, 20, 7, -600);
  builder.end(1'000);
  auto pass = std::make_shared<Pass>();
  pass->trace = std::move(builder.trace);
  const IterationLanes laid = layOut(PassIndex(pass), 0, true);
  const auto streams = lanesOf(laid, LaneKind::Stream);
  REQUIRE(streams.size() == 3);
  CHECK(streams[0]->items.size() == 2);  // a, then d where a has ended
  CHECK(streams[0]->subLane == 0);
  CHECK(streams[1]->items == std::vector<LaneItem>{{50, 150, 1}});
  CHECK(streams[2]->items == std::vector<LaneItem>{{60, 70, 2}});
  CHECK(streams[2]->subLane == 2);
}

TEST_CASE("what the op marks of itself stands above the host, nested by thread") {
  const auto run = uitest::markedRun();
  const PassIndex index(run->passes[0]);
  const std::vector<RangeRecord>& ranges = run->passes[0]->trace.ranges;
  const auto names = [&](const Lane& lane) {
    std::vector<std::string> texts;
    for (const LaneItem& item : lane.items)
      texts.push_back(run->passes[0]->trace.names.text(ranges[item.index].nameId));
    return texts;
  };
  using Names = std::vector<std::string>;

  const IterationLanes plain = layOut(index, 2, true);
  const auto two = lanesOf(plain, LaneKind::Ranges);
  REQUIRE(two.size() == 2);
  CHECK(plain.lanes[0].kind == LaneKind::Ranges);
  CHECK(names(*two[0]) == Names{"forward"});
  CHECK(two[0]->items[0].start == -5'800);
  CHECK(two[0]->items[0].end == 8'800);
  CHECK(names(*two[1]) == Names{"norm", "scale"});
  CHECK(two[1]->id == 4'242);
  CHECK(two[1]->subLane == 1);

  // What is not known of a range, or lies in another iteration, reaches to the edge of this one and no
  // further.
  const IterationLanes laid = layOut(index, 3, true);
  const auto all = lanesOf(laid, LaneKind::Ranges);
  REQUIRE(all.size() == 5);
  CHECK(all[0]->id == 77);
  CHECK(all[0]->items.size() == 1);
  CHECK(all[0]->items[0].start == -6'000);
  CHECK(all[0]->items[0].end == -5'900);
  CHECK(names(*all[1]) == Names{"forward"});
  CHECK(names(*all[2]) == Names{"checkpoint", "norm", "scale"});
  CHECK(names(*all[3]) == Names{"open"});
  CHECK(all[3]->items[0].start == 7'000);
  CHECK(all[3]->items[0].end == 20'000);
  CHECK(names(*all[4]) == Names{"prefetch"});
  CHECK(all[4]->items[0].end == 20'000);

  const IterationLanes next = layOut(index, 4, true);
  const auto four = lanesOf(next, LaneKind::Ranges);
  REQUIRE(four.size() == 3);
  CHECK(names(*four[0]) == Names{"prefetch"});
  CHECK(four[0]->items[0].start == -6'000);
  CHECK(four[0]->items[0].end == 0);
  CHECK(names(*four[2]) == Names{"norm", "scale"});  // below "forward", though the first row is free again

  const IterationLanes whole = layOutPass(index, true);
  std::size_t drawn = 0;
  for (const Lane* lane : lanesOf(whole, LaneKind::Ranges)) drawn += lane->items.size();
  CHECK(drawn == ranges.size());
  CHECK(lanesOf(layOut(PassIndex(uitest::syntheticRun()->passes[1]), 0, true), LaneKind::Ranges).empty());
}

TEST_CASE("without a number there is no BUSY and no gap, but what was recorded is shown") {
  const auto run = uitest::failingRun(ErrorCode::OffThreadLaunch);
  const PassIndex index(run->passes[1]);
  const IterationLanes laid = layOut(index, 19, false);
  CHECK(lanesOf(laid, LaneKind::Busy).empty());
  CHECK(lanesOf(laid, LaneKind::Gaps).empty());
  CHECK(lanesOf(laid, LaneKind::Stream).size() == 2);
  const auto strays = lanesOf(laid, LaneKind::Stray);
  REQUIRE(strays.size() == 1);
  CHECK(strays[0]->items[0].start == 16'000);
  CHECK(lanesOf(layOut(index, 0, false), LaneKind::Stray).empty());
}

TEST_CASE("an iteration that does not exist or recorded nothing has no lanes") {
  auto pass = std::make_shared<Pass>();
  CHECK(layOut(PassIndex(pass), 0, true).lanes.empty());
  pass->trace.iterations.push_back({1'000, 1'500, 9'000});
  const IterationLanes laid = layOut(PassIndex(pass), 0, true);
  CHECK(laid.lanes.empty());
  CHECK(laid.extent.length() == 8'000);
}

TEST_CASE("from gap to gap, from launch to kernel, from kernel to kernel") {
  const auto run = uitest::syntheticRun();
  const Pass& pass = *run->passes[1];
  const IndexRange range = gapsOf(pass, 2);
  CHECK(range.to - range.from == 2);
  const auto largest = largestGap(pass, 2);
  REQUIRE(largest);
  CHECK(pass.gaps[*largest].length() == 7'400);
  const Ns start = pass.gaps[*largest].start;
  const auto next = gapFrom(pass, 2, start, 1);
  REQUIRE(next);
  CHECK(pass.gaps[*next].length() == 700);
  CHECK(gapFrom(pass, 2, pass.gaps[*next].start, -1) == largest);
  CHECK_FALSE(gapFrom(pass, 2, pass.gaps[*next].start, 1));
  CHECK_FALSE(largestGap(*run->passes[0], 2));

  const PassIndex index(run->passes[1]);
  const IterationLanes laid = layOut(index, 2, true);
  const std::uint32_t first = lanesOf(laid, LaneKind::Stream)[0]->items[0].index;
  const auto launch = index.launchOfKernel(first);
  REQUIRE(launch);
  CHECK(index.firstKernelOfLaunch(*launch) == first);
  CHECK_FALSE(kernelBeside(laid, first, -1));
  const auto second = kernelBeside(laid, first, 1);
  REQUIRE(second);
  CHECK(pass.trace.names.text(pass.trace.kernels[*second].nameId) == "void reduce_mean<float>(float*)");
  CHECK(kernelBeside(laid, *second, -1) == first);
  CHECK_FALSE(index.launchOfKernel(1'000'000));
  CHECK_FALSE(index.firstKernelOfLaunch(1'000'000));
  CHECK(index.iterationOf(pass.trace.kernels[first].correlationId) == 2);
  CHECK(index.originOf(2) == pass.trace.kernels[first].start);
  CHECK(index.busy().size() == 60);  // three stretches in each of 20 iterations
}

TEST_CASE("iterations go on into the next pass of the same implementation") {
  const auto run = uitest::syntheticRun();
  CHECK(iterationBeside(*run, {0, 5}, 1) == IterationRef{0, 6});
  CHECK(iterationBeside(*run, {0, 19}, 1) == IterationRef{3, 0});
  CHECK(iterationBeside(*run, {3, 0}, -1) == IterationRef{0, 19});
  CHECK_FALSE(iterationBeside(*run, {0, 0}, -1));
  CHECK_FALSE(iterationBeside(*run, {3, 19}, 1));
}

TEST_CASE("the strip has a bar per iteration, in the order they ran") {
  const auto run = uitest::syntheticRun();
  const StripLayout strip = layOutStrip(*run);
  REQUIRE(strip.passes.size() == 4);
  CHECK(strip.passes[1].implementation == 1);
  CHECK(strip.passes[1].bars.size() == 20);
  CHECK(strip.passes[1].bars[0].busy == 9'900);
  CHECK(strip.passes[1].bars[0].gap == 8'100);
  CHECK(strip.passes[0].bars[7].busy == 12'570);
  CHECK(strip.passes[1].from > strip.passes[0].to);
  CHECK(iterationAt(strip, *placeOf(strip, {2, 11})) == IterationRef{2, 11});
  CHECK_FALSE(iterationAt(strip, -1));
  CHECK_FALSE(iterationAt(strip, strip.passes[0].to + 0.2));
  CHECK(strip.top >= 18'000);
}

TEST_CASE("one outlier does not flatten the strip") {
  auto run = uitest::syntheticRun();
  auto pass = std::make_shared<Pass>(*run->passes[0]);
  pass->samples[4].latency = 9'000'000;
  run->passes[0] = pass;
  const StripLayout strip = layOutStrip(*run);
  CHECK(strip.top < 30'000);
  CHECK(strip.passes[0].bars[4].busy + strip.passes[0].bars[4].gap > strip.top);
}

TEST_CASE("a failed implementation has no bars") {
  const StripLayout strip = layOutStrip(*uitest::failingRun(ErrorCode::RecordsLost));
  REQUIRE(strip.passes.size() == 4);
  CHECK(strip.passes[1].failed);
  CHECK(strip.passes[1].bars.empty());
  CHECK(strip.passes[1].to - strip.passes[1].from == 20);
  CHECK_FALSE(strip.passes[0].failed);
}

TEST_CASE("kernels are grouped by name and shape") {
  const auto run = uitest::syntheticRun();
  const auto groups = kernelGroups(*run, 1);
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].name == "rsqrt_kernel");
  CHECK(groups[0].count == 40);
  CHECK(groups[0].perIteration == 1);
  CHECK(groups[0].medianNs == 4'000);
  CHECK(groups[0].share == Catch::Approx(4'000.0 / 11'900));
  CHECK(kernelGroups(*uitest::failingRun(ErrorCode::NoKernel), 1).empty());
  CHECK(kernelGroups(*run, 7).empty());
  for (const auto& group : groups) {
    CHECK_FALSE(group.dramBytes);
    CHECK_FALSE(group.occupancy);
  }

  // The same on a device whose architecture is known: 256 threads of 32 registers each, and 1 KB of shared
  // memory.
  run->environment["architecture"] = "sm_90";
  for (const auto& group : kernelGroups(*run, 1)) {
    REQUIRE(group.occupancy);
    CHECK(group.occupancy->share() == 1);
  }
}

TEST_CASE("what kernels moved stands beside those whose name says which they are") {
  auto run = uitest::syntheticRun();
  CounterReading reading;
  reading.kernels = {"rsqrt_kernel", "void square<float>(float*)", "rsqrt_kernel"};
  reading.calls = {{{10, 1, 100, 0}, {5, 0, 50, 0}, {20, 2, 200, 0}},
                   {{30, 3, 300, 0}, {6, 0, 60, 0}, {40, 4, 400, 0}},
                   {{20, 2, 200, 0}, {7, 0, 70, 0}, {30, 3, 300, 0}}};
  run->implementations[1].counters = reading;
  const auto groups = kernelGroups(*run, 1);
  const auto named = [&](const char* name) {
    return *std::find_if(groups.begin(), groups.end(),
                         [&](const KernelGroup& group) { return group.name == name; });
  };
  // Calls of 11 + 22, 33 + 44 and 22 + 33.
  CHECK(named("rsqrt_kernel").dramBytes == 55);
  CHECK(named("rsqrt_kernel").l2Bytes == 500);
  CHECK(named("void square<float>(float*)").dramBytes == 6);
  CHECK_FALSE(named("void scale<float>(float*)").dramBytes);
  run->implementations[1].counters->together = true;
  for (const auto& group : kernelGroups(*run, 1)) CHECK_FALSE(group.dramBytes);

  // Two shapes under one name: which moved what is not known.
  auto twice = uitest::syntheticRun();
  twice->implementations[1].counters = reading;
  auto pass = std::make_shared<Pass>(*twice->passes[1]);
  LaunchShape other = pass->trace.shapes[0];
  other.blockX += 32;
  const std::uint32_t shape = pass->trace.internShape(other);
  for (KernelRecord& kernel : pass->trace.kernels) {
    if (pass->trace.names.text(kernel.nameId) != "rsqrt_kernel") continue;
    kernel.shapeId = shape;
    break;
  }
  twice->passes[1] = pass;
  std::size_t shapes = 0;
  for (const auto& group : kernelGroups(*twice, 1)) {
    if (group.name != "rsqrt_kernel") continue;
    ++shapes;
    CHECK_FALSE(group.dramBytes);
  }
  CHECK(shapes == 2);
}
