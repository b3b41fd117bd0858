// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "state/methods.h"
#include "state/same_call.h"
#include "state/sweep.h"
#include "ui/synthetic_run.h"

// The sweep and the methods of the window, without widgets.

using namespace opscope;
using namespace opscope::ui;
using Catch::Approx;
using RunList = std::vector<std::shared_ptr<const Run>>;

namespace {

std::shared_ptr<Run> runOf(std::int64_t rows, std::int64_t cols = 4'096) {
  auto run = uitest::syntheticRun();
  run->dims = {{"rows", rows}, {"cols", cols}};
  return run;
}

}  // namespace

TEST_CASE("runs that differ in one dimension alone are a sweep of it") {
  const std::shared_ptr<const Run> run = runOf(128);
  auto other = runOf(1'024);
  other->l2 = "warm";
  auto both = runOf(2'048, 8'192);
  const RunList runs{run, runOf(256), runOf(512), runOf(128, 8'192), other, both, nullptr};
  CHECK(sweepAxes(run, runs) == std::vector<std::string>{"rows", "cols"});
  CHECK(sweepAxes(run, {run}).empty());
  CHECK(sweepAxes(nullptr, runs).empty());
  const Sweep sweep = sweepOf(run, runs, "rows");
  CHECK(sweep.sizes == std::vector<std::int64_t>{128, 256, 512});
  CHECK(sweep.geometric);
  REQUIRE(sweep.series.size() == 2);
  CHECK(sweep.series[0].name == "one-pass");
  REQUIRE(sweep.series[0].points.size() == 3);
  CHECK(sweep.series[0].points[1].size == 256);
  CHECK(sweep.series[0].points[1].busy.median == 12'595);
  CHECK_FALSE(sweep.hasEfficiency());
  CHECK(sweepOf(run, runs, "cols").sizes == std::vector<std::int64_t>{4'096, 8'192});
  CHECK(sweepOf(run, runs, "depth").sizes.empty());
  CHECK(sweepOf(nullptr, runs, "rows").series.empty());
  CHECK(sweepWords(sweep, run)[0] ==
        QStringLiteral("rms_norm bf16 over rows, 3 sizes from 128 to 512, with cols = 4096."));
}

TEST_CASE("where a size was measured twice, the line goes through the newest") {
  const std::shared_ptr<const Run> old = runOf(256);
  const std::shared_ptr<const Run> anew = runOf(256);
  const std::shared_ptr<const Run> run = runOf(128);
  const Sweep sweep = sweepOf(run, {run, old, anew}, "rows");
  REQUIRE(sweep.series[0].points.size() == 3);
  const auto line = sweep.series[0].newest();
  REQUIRE(line.size() == 2);
  CHECK(line[0]->run == run);
  CHECK(line[1]->run == anew);
}

TEST_CASE("implementations keep their place, and what failed is said with its size") {
  const std::shared_ptr<const Run> run = runOf(128);
  auto reordered = runOf(256);
  std::swap(reordered->implementations[0], reordered->implementations[1]);
  auto further = runOf(512);
  further->implementations[0].name = "library";
  auto failing = uitest::failingRun(ErrorCode::NoKernel);
  failing->dims = {{"rows", 1'024}, {"cols", 4'096}};
  const Sweep sweep = sweepOf(run, {run, reordered, further, failing}, "rows");
  REQUIRE(sweep.series.size() == 3);
  CHECK(sweep.series[0].name == "one-pass");
  CHECK(sweep.series[2].name == "library");
  CHECK(sweep.series[1].points.size() == 3);
  CHECK(sweep.series[1].points[1].implementation == 0);  // of the reordered run
  REQUIRE(sweep.failures.size() == 1);
  CHECK(sweep.failures[0].starts_with("rows = 1024, eager: NoKernel"));
  CHECK(sweepWords(sweep, run).join(QLatin1Char('\n')).contains(QStringLiteral("NoKernel")));
}

TEST_CASE("efficiency goes with the point") {
  auto run = runOf(128);
  run->ceilings = Ceilings{"2026-01-01 00:00 UTC", Ceiling{4e12, {}, "triad"}, Ceiling{8e14, {}, "gemm"}, {}};
  const Sweep sweep = sweepOf(run, {run, runOf(256)}, "rows");
  CHECK(sweep.hasEfficiency());
  CHECK(sweep.series[0].points[0].efficiency == Approx(33.6e6 / 12'595e-9 / 4e12));
  CHECK(sweep.series[0].points[0].bound == "memory");
  CHECK_FALSE(sweep.series[0].points[1].efficiency);
}

TEST_CASE("sizes that grow by a factor are told from those that grow by a step") {
  CHECK(growGeometrically({128, 256, 512, 1'024}));
  CHECK(growGeometrically({1, 10, 100}));
  CHECK(growGeometrically({128, 256, 513}));  // nearly
  CHECK_FALSE(growGeometrically({128, 256, 384, 512}));
  CHECK_FALSE(growGeometrically({100, 200}));
  CHECK(growGeometrically({100, 1'000}));
  CHECK_FALSE(growGeometrically({100}));
  CHECK_FALSE(growGeometrically({}));
}

TEST_CASE("every method stands beside the number that the records give") {
  auto run = uitest::syntheticRun();
  CHECK(methodsOf(*run).empty());
  Summary busy;
  busy.n = 40;
  busy.median = 2'000;
  Summary pair = busy;
  pair.median = 9'000;
  run->implementations[1].methods = {
      {"records: busy", "clean", "kernels", 1, busy, {}},
      {"event pair", "clean", "kernels, gaps and both events", 1, pair, {}},
      {"graph replay", "warm", "kernels", 100, {}, ErrorInfo{ErrorCode::NotSupported, "no graph", "", {}}}};
  const auto rows = methodsOf(*run);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].implementation == 1);
  CHECK(rows[0].isTheNumber);
  CHECK(rows[0].times == 1.0);
  CHECK_FALSE(rows[1].isTheNumber);
  CHECK(rows[1].times == 4.5);
  CHECK_FALSE(rows[2].times);
  CHECK(tracingWords(*run).isEmpty());
  run->implementations[0].tracingCost = TracingCost{busy, pair, {}};
  CHECK(tracingWords(*run).size() == 1);
}

TEST_CASE("a run's calls can be measured again as they were") {
  auto run = uitest::syntheticRun();
  run->l2 = "zero";
  Job job = sameCall(*run);
  CHECK(job.op == "rms_norm");
  CHECK(job.workload == "llama-8b-prefill");
  CHECK(job.dtype == "bf16");
  CHECK(job.dims == run->dims);
  CHECK(job.implementations == std::vector<std::string>{"one-pass", "eager"});
  CHECK(job.device == "cuda:0");
  CHECK(job.protocol.l2 == L2Mode::Zero);
  CHECK(job.protocol.blocks == 1);
  CHECK_FALSE(job.methods);
  run->l2 = "clean (partial)";
  run->workload = "custom";
  job = sameCall(*run);
  CHECK(job.protocol.l2 == L2Mode::Clean);
  CHECK(job.workload.empty());
}
