// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "findings/findings.h"
#include "session/device_record.h"
#include "state/job_series.h"
#include "state/known_ceilings.h"
#include "state/roofline.h"
#include "state/text.h"
#include "state/verdict.h"
#include "ui/synthetic_run.h"

// The roofline and the ceilings of the window, without widgets.

using namespace opscope;
using namespace opscope::ui;
using Catch::Approx;

namespace {

// 33.6 M operations on 33.6 MB: one per byte. The ridge of these ceilings lies at 200.
std::shared_ptr<Run> under(double memory, std::optional<double> matrix) {
  auto run = uitest::syntheticRun();
  run->ceilings = Ceilings{"2026-01-01 00:00 UTC", Ceiling{memory, {}, "triad"}, {}, {}};
  if (matrix) run->ceilings->matrix = Ceiling{*matrix, {}, "gemm"};
  run->findings = findIn(*run);
  return run;
}

QString wordsOf(const std::shared_ptr<const Run>& run) {
  return rooflineWords(rooflineOf(run), run).join(QLatin1Char('\n'));
}

}  // namespace

TEST_CASE("a roofline is the lower of two ceilings, and implementations stand under it") {
  const std::shared_ptr<const Run> run = under(4e12, 8e14);
  const Roofline roofline = rooflineOf(run);
  CHECK_FALSE(roofline.ofBytes);
  CHECK(roofline.ridge() == 200.0);
  CHECK(roofline.roofAt(1) == 4e12);
  CHECK(roofline.roofAt(200) == 8e14);
  CHECK(roofline.roofAt(1'000) == 8e14);
  REQUIRE(roofline.points.size() == 2);
  CHECK(roofline.own == 2);
  // A takes 12 595 ns, B 9 900.
  CHECK(roofline.points[0].claimed.x == 1.0);
  CHECK(roofline.points[0].claimed.y == Approx(33.6e6 / 12'595e-9));
  CHECK(roofline.points[0].efficiency->share == Approx(33.6e6 / 12'595e-9 / 4e12));
  CHECK_FALSE(roofline.points[0].moved);
  CHECK_FALSE(roofline.points[0].above);
  const QString words = wordsOf(run);
  CHECK(words.contains(QStringLiteral("A one-pass: 2.668 TFLOP/s, 66.7 % of the memory ceiling.")));
  CHECK(words.contains(QStringLiteral("B eager: 3.394 TFLOP/s, 84.8 % of the memory ceiling.")));
  CHECK(verdictOf(*run).verdicts[1].efficiency == QStringLiteral("84.8 % of the memory ceiling"));
  CHECK(verdictOf(*uitest::syntheticRun()).verdicts[1].efficiency.isEmpty());
}

TEST_CASE("a point above its ceiling is said to be, and one within its repeatability is not") {
  const std::shared_ptr<const Run> far = under(2e12, 8e14);
  CHECK(rooflineOf(far).points[0].above);
  CHECK(wordsOf(far).contains(QStringLiteral("Above the ceiling: one-pass")));
  const std::shared_ptr<const Run> near = under(33.6e6 / 9'900e-9 / 1.01, 8e14);  // B reaches 101 %
  CHECK_FALSE(rooflineOf(near).points[1].above);
  CHECK_FALSE(wordsOf(near).contains(QStringLiteral("Above")));
}

TEST_CASE("what was moved stands beside what was claimed") {
  auto run = under(4e12, 8e14);
  CounterReading reading;
  reading.kernels = {"k"};
  reading.calls = {{{.dramRead = 50'000'000, .dramWritten = 17'200'000, .l2 = 1, .profiled = 1}}};
  run->implementations[0].counters = reading;
  const Roofline roofline = rooflineOf(run);
  REQUIRE(roofline.points[0].moved);
  CHECK(roofline.points[0].moved->x == Approx(0.5));  // 33.6 of 67.2 MB
  CHECK(roofline.points[0].moved->y == roofline.points[0].claimed.y);
  CHECK(wordsOf(run).contains(
      QStringLiteral("A claims 33.60 MB and moved 67.20 MB through DRAM (claimed / moved 0.5")));
  run->flops = 0;
  const Roofline bytes = rooflineOf(run);
  CHECK(bytes.points[0].claimed.x == 33.6e6);
  CHECK(bytes.points[0].moved->x == 67.2e6);
  CHECK(bytes.points[0].moved->y == Approx(67.2e6 / 12'595e-9));
}

TEST_CASE("an op without operations stands under the memory ceiling alone") {
  auto run = under(4e12, 8e14);
  run->flops = 0;
  const Roofline roofline = rooflineOf(run);
  CHECK(roofline.ofBytes);
  CHECK_FALSE(roofline.matrix);
  CHECK_FALSE(roofline.ridge());
  CHECK(roofline.roofAt(1) == 4e12);
  CHECK(roofline.roofAt(1e9) == 4e12);
  CHECK(wordsOf(run).contains(QStringLiteral("rms_norm claims no operations")));
  CHECK(wordsOf(run).contains(QStringLiteral("TB/s, 66.7 % of the memory ceiling")));
}

TEST_CASE("without ceilings that hold the points stand alone and it is said why") {
  const auto bare = uitest::syntheticRun();
  CHECK_FALSE(rooflineOf(bare).memory);
  CHECK(rooflineOf(bare).points.size() == 2);
  CHECK(wordsOf(bare).contains(QStringLiteral("No ceilings of Simulated H200 are known")));
  auto other = under(4e12, 8e14);
  other->ceilings->differences = {"driver was 570, now 580"};
  CHECK_FALSE(rooflineOf(other).memory);
  CHECK(wordsOf(other).contains(QStringLiteral("driver was 570, now 580")));
  const auto failing = uitest::failingRun(ErrorCode::NoKernel);
  CHECK(rooflineOf(failing).points.size() == 1);
  CHECK(wordsOf(failing).contains(QStringLiteral("B eager has no number.")));
  auto claimless = under(4e12, 8e14);
  claimless->bytes = 0;
  CHECK(rooflineOf(claimless).points.empty());
  CHECK(rangeOf(rooflineOf(claimless)) == RooflineRange{});
  CHECK(rooflineOf(nullptr).points.empty());
  CHECK(rooflineWords(rooflineOf(nullptr), nullptr).isEmpty());
}

TEST_CASE("runs of the same op stand under one roof, others do not") {
  const std::shared_ptr<const Run> run = under(4e12, 8e14);
  const auto other = [](auto change) {
    auto made = under(4e12, 8e14);
    change(*made);
    return std::shared_ptr<const Run>(made);
  };
  const Roofline roofline = rooflineOf(
      run, {other([](Run& r) { r.workload = "another"; }), run, other([](Run& r) { r.dtype = "fp32"; }),
            other([](Run& r) { r.l2 = "warm"; }), other([](Run& r) { r.deviceName = "another"; }),
            other([](Run& r) { r.ceilings->memory->perSecond = 3e12; }), other([](Run& r) { r.op = "x"; }),
            other([](Run& r) { r.ceilings.reset(); }), nullptr});
  CHECK(roofline.own == 2);
  REQUIRE(roofline.points.size() == 4);
  CHECK(roofline.points[3].run->workload == "another");
}

TEST_CASE("the axes hold all points, what is possible there, and the ridge") {
  const RooflineRange range = rangeOf(rooflineOf(under(4e12, 8e14)));
  // Points at 1 operation per byte, 2.67e12 and 3.39e12 per second under 4e12; the ridge at 200 and 8e14.
  CHECK(range.xFrom == Approx(0.1));
  CHECK(range.xTo == Approx(400));
  CHECK(range.yFrom == Approx(1e12));
  CHECK(range.yTo == Approx(1.6e15));
}

TEST_CASE("a run takes the ceilings that became known of its device") {
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  CeilingRecord record;
  record.device = deviceKey(*run);
  record.deviceName = run->deviceName;
  record.measuredUnixNs = run->startedUnixNs;
  record.environment = run->environment;
  record.points = {{CeilingPoint::Kind::Memory, "copy", "n=1", "float32", "plain", "clean", 1, 4e12, {}},
                   {CeilingPoint::Kind::Matrix, "gemm", "m=1", "bf16", "plain", "clean", 1, 8e14, {}}};
  const auto next = withCeilings(run, {{record.device, record}});
  REQUIRE(next);
  CHECK(next->ceilings->memory->perSecond == 4e12);
  CHECK(next->ceilings->matrix->perSecond == 8e14);
  CHECK(next->passes == run->passes);
  CHECK_FALSE(withCeilings(next, {{record.device, record}}));  // it has them
  CHECK_FALSE(withCeilings(run, {}));
  CHECK_FALSE(withCeilings(run, {{"another", record}}));
  CeilingRecord elsewhere = record;
  elsewhere.environment["driver"] = "570.1";
  CHECK_FALSE(withCeilings(run, {{record.device, elsewhere}}));
  // Slower ceilings than what was reached: the rules find it.
  record.points[0].perSecond = 1e12;
  const auto above = withCeilings(run, {{record.device, record}});
  CHECK(std::any_of(above->findings.begin(), above->findings.end(),
                    [](const Finding& finding) { return finding.rule == "above-roofline"; }));
}

TEST_CASE("a series goes on after what one job cannot do, and ends with the engine or a stop") {
  const std::vector<Job> jobs(3);
  const auto run = uitest::syntheticRun();
  JobSeries series(QStringLiteral("ceiling"), jobs);
  REQUIRE(series.current());
  CHECK(series.place() == QStringLiteral("ceiling 1 of 3"));
  series.finished(run);
  series.failed({ErrorCode::NotSupported, "no fp8", "", {}}, nullptr);
  CHECK(series.place() == QStringLiteral("ceiling 3 of 3"));
  CHECK_FALSE(series.isComplete());
  series.finished(run);
  CHECK(series.isComplete());
  CHECK_FALSE(series.current());
  CHECK(series.runs().size() == 2);
  CHECK(series.failures().size() == 1);

  JobSeries lost(QStringLiteral("x"), jobs);
  lost.failed({ErrorCode::DeviceLost, "gone", "", {}}, run);
  CHECK_FALSE(lost.current());
  CHECK_FALSE(lost.isComplete());
  CHECK(lost.runs().size() == 1);

  JobSeries stopped(QStringLiteral("x"), jobs);
  auto cancelled = uitest::syntheticRun();
  cancelled->cancelled = true;
  stopped.finished(cancelled);
  CHECK_FALSE(stopped.current());
  CHECK_FALSE(stopped.isComplete());
  CHECK(stopped.failures().empty());

  JobSeries between(QStringLiteral("x"), jobs);
  between.finished(run);
  between.stop();
  CHECK_FALSE(between.current());
  CHECK_FALSE(between.isComplete());
  CHECK_FALSE(JobSeries(QStringLiteral("none"), {}).current());
}
