// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QElapsedTimer>
#include <atomic>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "session/comparison.h"
#include "state/comparison.h"
#include "state/coverage.h"
#include "state/distribution.h"
#include "state/drift.h"
#include "state/kernel_filter.h"
#include "state/newest.h"
#include "state/overlay.h"
#include "state/pass_indexes.h"
#include "state/session_model.h"
#include "state/text.h"
#include "ui/synthetic_run.h"
#include "ui/wait_for.h"

using namespace opscope;
using namespace opscope::ui;
using Catch::Approx;
using opscope::uitest::waitFor;

namespace {

const Lane* laneOf(const IterationLanes& laid, LaneKind kind) {
  for (const Lane& lane : laid.lanes) {
    if (lane.kind == kind) return &lane;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("what happened and what to do are two sentences") {
  CHECK(sentenceText("records are missing") == QStringLiteral("records are missing."));
  CHECK(sentenceText("Measure again.") == QStringLiteral("Measure again."));
  CHECK(sentenceText("why? ") == QStringLiteral("why?"));
  CHECK(sentenceText("").isEmpty());
  CHECK(describeText({ErrorCode::BadInput, "No run", "Measure one", {}}) ==
        QStringLiteral("No run. Measure one."));
}

TEST_CASE("coverage is the mean share of many intervals") {
  // Two iterations: [0, 10) and [5, 15). Each is half of one column of 10.
  const Coverage coverage({{0, 10}, {5, 15}}, 2);
  CHECK(coverage.share(0, 5) == Approx(0.5));
  CHECK(coverage.share(5, 10) == Approx(1.0));
  CHECK(coverage.share(10, 15) == Approx(0.5));
  CHECK(coverage.share(0, 15) == Approx(20.0 / 30));
  CHECK(coverage.share(15, 100) == Approx(0));
  CHECK(coverage.share(-50, 0) == Approx(0));
  CHECK(coverage.share(7, 7) == 0);
  CHECK(Coverage({}, 0).share(0, 1) == 0);
}

TEST_CASE("all iterations of an implementation are overlaid at their first kernel") {
  const auto run = uitest::syntheticRun();
  const OverlayBlurs blurs = overlay(*run, 1, true);
  CHECK(blurs.iterations == 40);
  const PassIndex index(run->passes[1]);
  const IterationLanes laid = withBlurs(layOut(index, 3, true), blurs);
  CHECK(laid.of == 40);
  const Lane* busy = laneOf(laid, LaneKind::Busy);
  REQUIRE(busy);
  REQUIRE(busy->blurs.size() == 1);
  // No iteration of B jitters: everything is either always or never busy.
  CHECK(busy->blurs[0].coverage.share(0, 3'000) == Approx(1));
  CHECK(busy->blurs[0].coverage.share(3'000, 10'400) == Approx(0));
  const Lane* stream = laneOf(laid, LaneKind::Stream);
  REQUIRE(stream);
  CHECK(stream->blurs.size() == 3);  // three kernels by name
  // A's only kernel grows by 10 ns per iteration: [12 500, 12 690) is blurred.
  const OverlayBlurs other = overlay(*run, 0, true);
  const auto& growing = other.lanes.at({LaneKind::Busy, 0, 0})[0].coverage;
  CHECK(growing.share(12'400, 12'500) == Approx(1));
  CHECK(growing.share(12'600, 12'610) == Approx(18.0 / 40));  // those with i > 10, of each of two passes
  CHECK(growing.share(12'690, 12'700) == Approx(0));
}

TEST_CASE("an overlay shows lanes that the iteration in front does not have, and no number after a failure") {
  const auto run = uitest::failingRun(ErrorCode::OffThreadLaunch);
  const OverlayBlurs blurs = overlay(*run, 1, false);
  const PassIndex index(run->passes[1]);
  const IterationLanes laid = withBlurs(layOut(index, 0, false), blurs);
  CHECK_FALSE(laneOf(laid, LaneKind::Busy));
  CHECK_FALSE(laneOf(laid, LaneKind::Gaps));
  const Lane* stray = laneOf(laid, LaneKind::Stray);  // only the last iteration saw it
  REQUIRE(stray);
  CHECK(stray->items.empty());
  CHECK(stray->blurs.size() == 1);
}

TEST_CASE("a whole pass on one axis") {
  const auto run = uitest::syntheticRun();
  const PassIndex index(run->passes[1]);
  const IterationLanes laid = layOutPass(index, true);
  const Lane* marks = laneOf(laid, LaneKind::Marks);
  REQUIRE(marks);
  CHECK(marks->items.size() == 20);
  CHECK(marks->items[1].start == 40'000 - 6'000);
  CHECK(laneOf(laid, LaneKind::Busy)->items.size() == 60);
  CHECK(laneOf(laid, LaneKind::Gaps)->items.size() == 40);
  CHECK(laneOf(laid, LaneKind::Host)->items.size() == 100);
  CHECK(laid.origin == run->passes[1]->trace.kernels[0].start);
  CHECK(laid.extent == Interval{-6'000, 19 * 40'000 + 20'000});
  CHECK_FALSE(laneOf(layOutPass(index, false), LaneKind::Busy));
  CHECK_FALSE(laneOf(layOutPass(index, false), LaneKind::Gaps));
  CHECK(layOutPass(PassIndex(std::make_shared<Pass>()), true).lanes.empty());
}

TEST_CASE("what ran between two calls has a lane of its own in a whole pass") {
  uitest::TraceBuilder builder;
  builder.begin();
  const auto cleared = builder.kernel("clear_l2", -4'000, 500, 7, -5'000);
  builder.kernel("k", 0, 700, 7, -900);
  builder.end(2'000);
  for (auto& id : builder.trace.externalIds) {
    if (id.correlationId == builder.trace.kernels[cleared].correlationId) id.externalId = kPrepareId;
  }
  auto pass = std::make_shared<Pass>();
  pass->trace = std::move(builder.trace);
  const PassIndex index(pass);
  const Lane* between = laneOf(layOutPass(index, true), LaneKind::Prepare);
  const IterationLanes laid = layOutPass(index, true);
  between = laneOf(laid, LaneKind::Prepare);
  REQUIRE(between);
  CHECK(between->items == std::vector<LaneItem>{{-4'000, -3'500, cleared}});
  CHECK(laneOf(laid, LaneKind::Busy)->items.size() == 1);
}

TEST_CASE("kernels are filtered by expression, plain text, stream and name") {
  KernelFilter filter;
  CHECK_FALSE(filter.any());
  CHECK(filter.fits("anything", 7));
  filter.setPattern(QStringLiteral("^void (scale|square)"));
  CHECK(filter.any());
  CHECK_FALSE(filter.isPlain());
  CHECK(filter.fits("void scale<float>(float*)", 7));
  CHECK_FALSE(filter.fits("rsqrt_kernel", 7));
  filter.setPattern(QStringLiteral("RSQRT"));
  CHECK(filter.fits("rsqrt_kernel", 7));
  filter.setPattern(QStringLiteral("scale<float>("));  // no valid expression
  CHECK(filter.isPlain());
  CHECK(filter.fits("void scale<float>(float*)", 7));
  CHECK_FALSE(filter.fits("void square<float>(float*)", 7));
  filter.setPattern({});
  filter.streams = {9};
  CHECK_FALSE(filter.fits("x", 7));
  CHECK(filter.fits("x", 9));
  filter.names = {"scale"};
  CHECK(filter.fits("void scale<float>(float*)", 9));
  CHECK_FALSE(filter.fits("void square<float>(float*)", 9));
}

TEST_CASE("implementations are compared with the first or the pinned one") {
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  auto rows = comparisonOf(run, std::nullopt);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].isBaseline);
  CHECK_FALSE(rows[0].differenceNs);
  // A: 12 500 + 10 i, i = 0..19: the median is 12 595. B: 9 900.
  CHECK(rows[0].busy.median == 12'595);
  CHECK(rows[1].differenceNs == 9'900 - 12'595);
  REQUIRE(rows[1].against);
  CHECK(rows[1].against->pooled == Approx(9'900.0 / 12'595));
  CHECK(rows[1].against == *run->comparison->rowOf(1));
  CHECK(text(verdictSentence(*run, *run->comparison, *run->comparison->rowOf(1))) == rows[1].note);
  CHECK(rows[1].passMedians == std::vector<double>{9'900, 9'900});

  rows = comparisonOf(run, Baseline{run, 1});
  CHECK(rows[1].isBaseline);
  CHECK(rows[0].differenceNs == 12'595 - 9'900);
  CHECK(rows[0].against->pooled == Approx(12'595 / 9'900.0));

  auto older = std::make_shared<Run>(*run);
  rows = comparisonOf(run, Baseline{older, 1});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].isBaseline);
  CHECK(rows[0].run == older);
  CHECK(rows[2].differenceNs == 0.0);
  CHECK_FALSE(rows[2].against);
  CHECK_FALSE(rows[1].earlier);  // of another name: no verdict
  CHECK(rows[1].note.contains(QStringLiteral("Another run")));
  REQUIRE(rows[2].earlier);
  CHECK(rows[2].earlier->ratio == 1);
  CHECK(rows[2].earlier->verdict == Verdict::Undecided);  // two passes on a side tell nothing
  CHECK(rows[2].note.contains(QStringLiteral("fewer than 4 passes")));
  CHECK(verdictOf(run, Baseline{older, 1})
            .verdicts[1]
            .compared.startsWith(QStringLiteral("undecided against the pinned baseline: ratio 1")));
  CHECK_FALSE(verdictOf(run, Baseline{older, 1}).verdicts[0].compared.contains(QStringLiteral("pinned")));
}

TEST_CASE("a pinned baseline of enough passes gives a verdict") {
  // Passes of B twice: four on a side, all of 9 900 ns.
  auto now = std::make_shared<Run>(*uitest::syntheticRun());
  const auto passes = now->passes;
  now->passes.insert(now->passes.end(), passes.begin(), passes.end());
  summariseRun(*now);
  auto then = std::make_shared<Run>(*now);
  for (auto& pass : then->passes) {
    auto slower = std::make_shared<Pass>(*pass);
    for (Sample& sample : slower->samples) sample.busy *= 2;
    pass = slower;
  }
  summariseRun(*then);
  const auto rows = comparisonOf(now, Baseline{then, 1});
  REQUIRE(rows[2].earlier);
  CHECK(rows[2].earlier->ratio == 0.5);
  CHECK(rows[2].earlier->verdict == Verdict::Faster);
  CHECK(verdictOf(now, Baseline{then, 1})
            .verdicts[1]
            .compared.startsWith(QStringLiteral("faster than the pinned baseline: ratio 0.5")));
  CHECK(verdictOf(then, Baseline{now, 1})
            .verdicts[1]
            .compared.startsWith(QStringLiteral("slower than the pinned baseline: ratio 2")));
}

TEST_CASE("there is no difference where two must not be compared") {
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  const auto whyNot = [&](auto change) {
    auto other = std::make_shared<Run>(*run);
    change(*other);
    const auto rows = comparisonOf(run, Baseline{other, 0});
    REQUIRE(rows.size() == 3);
    CHECK_FALSE(rows[1].differenceNs);
    return rows[1].note;
  };
  CHECK(whyNot([](Run& other) { other.dims["rows"] = 1; }).contains(QStringLiteral("workload")));
  CHECK(whyNot([](Run& other) { other.dtype = "fp32"; }).contains(QStringLiteral("workload")));
  CHECK(whyNot([](Run& other) { other.deviceName = "another"; }).contains(QStringLiteral("device")));
  CHECK(whyNot([](Run& other) { other.method = "events"; }).contains(QStringLiteral("method")));
  CHECK(whyNot([](Run& other) { other.l2 = "warm"; }).contains(QStringLiteral("L2")));

  const auto rows = comparisonOf(uitest::failingRun(ErrorCode::NoKernel), std::nullopt);
  CHECK_FALSE(rows[1].hasNumber);
  CHECK_FALSE(rows[1].differenceNs);
  CHECK(rows[1].busy.n == 0);
  CHECK(rows[1].passMedians.empty());
  CHECK(rows[1].note.contains(QStringLiteral("NoKernel")));
  CHECK(comparisonOf(nullptr, std::nullopt).empty());
}

TEST_CASE("pinning the same again lets go, and a removed run is no baseline") {
  SessionModel session;
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  session.add(run);
  session.pin({run, 1});
  CHECK(session.baseline() == Baseline{run, 1});
  session.pin({run, 1});
  CHECK_FALSE(session.baseline());
  session.pin({run, 0});
  session.remove(run);
  CHECK_FALSE(session.baseline());
}

TEST_CASE("drift puts every iteration on the wall clock") {
  auto run = uitest::syntheticRun();
  auto pass = std::make_shared<Pass>(*run->passes[1]);
  TelemetrySample sample;
  sample.at = pass->trace.iterations.back().drained;
  sample.smClockMhz = 1'980;
  pass->telemetry = {sample};
  run->passes[1] = pass;
  const Drift drift = driftOf(*run);
  REQUIRE(drift.points.size() == 2);
  CHECK(drift.points[0].size() == 40);
  CHECK(drift.passes.size() == 4);
  CHECK(drift.seconds == Approx(3.5));
  // Pass 2 ends 1.5 s in; its 20th call came 26 us before its drain, the first 19 periods of 40 us earlier.
  CHECK(drift.points[1].front().seconds == Approx(1.5 - 26e-6 - 19 * 40e-6).margin(1e-12));
  CHECK(drift.passes[1].to == Approx(1.5));
  CHECK(drift.passes[1].median == 9'900);
  REQUIRE(drift.readings.size() == 1);
  CHECK(drift.readings[0].seconds == Approx(1.5));
  CHECK(heldDownBy(drift.readings[0].sample.throttleReasons) == 0);
  TelemetrySample held;
  held.throttleReasons = kThrottleIdle | kThrottleApplicationClocks;
  CHECK(heldDownBy(held.throttleReasons) == 0);
  held.throttleReasons = kThrottleIdle | kThrottlePower | kThrottleThermal;
  CHECK(heldDownBy(held.throttleReasons) == (kThrottlePower | kThrottleThermal));
  CHECK(drift.has(&TelemetrySample::smClockMhz));
  CHECK_FALSE(drift.has(&TelemetrySample::temperatureC));
  const Drift failed = driftOf(*uitest::failingRun(ErrorCode::RecordsLost));
  CHECK(failed.points[1].empty());
  CHECK(failed.passes.size() == 2);
  CHECK(driftOf(Run{}).points.empty());
}

TEST_CASE("a histogram's bins are multiples of the tick and hold every iteration") {
  const auto run = uitest::syntheticRun();
  const Distribution busy = distributionOf(*run, Brush::Quantity::Busy);
  REQUIRE(busy.series.size() == 2);
  CHECK(busy.width % run->timestampTick == 0);
  CHECK(busy.from == 9'900);
  for (const auto& series : busy.series) {
    std::uint32_t all = 0;
    for (const std::uint32_t count : series.counts) all += count;
    CHECK(all == 40);
    CHECK(series.sorted.size() == 40);
  }
  CHECK(busy.series[1].counts[0] == 40);
  CHECK(distributionOf(*run, Brush::Quantity::Latency).series[1].sorted.front() == 18'000);
  CHECK(distributionOf(*uitest::failingRun(ErrorCode::NoKernel), Brush::Quantity::Busy).series.size() == 1);
  CHECK(distributionOf(Run{}, Brush::Quantity::Busy).bins == 0);
}

TEST_CASE("a histogram around one implementation leaves out those too far away to share its axis") {
  auto run = uitest::syntheticRun();
  CHECK(distributionOf(*run, Brush::Quantity::Busy, 0).series.size() == 2);  // 12.6 and 9.9 us
  run->implementations[1].busy.median = 90'000;
  const Distribution first = distributionOf(*run, Brush::Quantity::Busy, 0);
  REQUIRE(first.series.size() == 1);
  CHECK(first.series[0].implementation == 0);
  REQUIRE(distributionOf(*run, Brush::Quantity::Busy, 1).series.size() == 1);
  CHECK(distributionOf(*run, Brush::Quantity::Busy, 7).series.size() == 2);
}

TEST_CASE("one stray iteration does not squeeze a histogram into one bin") {
  auto run = uitest::syntheticRun();
  auto pass = std::make_shared<Pass>(*run->passes[0]);
  pass->samples[4].busy = 900'000'000;
  run->passes[0] = pass;
  const Distribution busy = distributionOf(*run, Brush::Quantity::Busy);
  CHECK(busy.bins > 10);
  CHECK(busy.bins <= 130);
  CHECK(busy.series[0].counts.back() >= 1);
}

TEST_CASE("only the newest request counts") {
  Newest newest;
  std::atomic<bool> go{false};
  std::vector<int> delivered;
  std::atomic<int> ran{0};
  newest.request([&]() -> std::function<void()> {
    while (!go) std::this_thread::yield();
    return [&] { delivered.push_back(1); };
  });
  for (int i = 2; i <= 5; ++i) {
    newest.request([&, i]() -> std::function<void()> {
      ++ran;
      return [&, i] { delivered.push_back(i); };
    });
  }
  go = true;
  REQUIRE(waitFor([&] { return !newest.isBusy(); }));
  CHECK(delivered == std::vector<int>{5});
  CHECK(ran == 1);  // those that waited were never run
  newest.request([&]() -> std::function<void()> { return [&] { delivered.push_back(6); }; });
  newest.drop();
  REQUIRE(waitFor([&] { return !newest.isBusy(); }));
  CHECK(delivered == std::vector<int>{5});
}

TEST_CASE("a large pass is indexed in the background, a small one at once") {
  PassIndexes indexes;
  const auto small = uitest::syntheticRun()->passes[0];
  REQUIRE(indexes.of(small));
  CHECK(indexes.of(small) == indexes.of(small));
  const auto large = uitest::longRun(40'000)->passes[0];
  REQUIRE(PassIndexes::recordsOf(*large) > PassIndexes::kAtOnce);
  bool ready = false;
  QObject::connect(&indexes, &PassIndexes::ready, [&] { ready = true; });
  CHECK_FALSE(indexes.of(large));
  REQUIRE(waitFor([&] { return ready; }));
  REQUIRE(indexes.of(large));
  CHECK(indexes.of(large)->busy().size() == 40'000);
}
