// SPDX-License-Identifier: Apache-2.0
#include "session/efficiency.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "session/ceiling_file.h"
#include "session/export.h"
#include "session/gated_runs.h"
#include "session/summary_rows.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

// A call of 10 us at 1980 MHz on a device that copies 4e12 bytes a second and multiplies 8e14 operations a
// second at 1600 MHz: in 10 us 40 MB, and at 1980 MHz 8e14 x 1980 / 1600 = 9.9e14, or 9.9 GFLOP.
Run runOn(double flops, double bytes, std::optional<int> clock = 1'980) {
  Run run = runOfPasses({10'000, 10'000}, "k", clock);
  run.flops = flops;
  run.bytes = bytes;
  run.ceilings = Ceilings{"2026-01-31 12:00 UTC",
                          Ceiling{4e12, 1'980, "triad float32 n=1"},
                          Ceiling{8e14, 1'600, "gemm bfloat16 m=8192"},
                          {}};
  return run;
}

}  // namespace

TEST_CASE("bytes bind where they take longer than the operations") {
  const auto efficiency = efficiencyOf(runOn(1e6, 30e6), 0);
  REQUIRE(efficiency);
  CHECK(efficiency->bound == Bound::Memory);
  CHECK_THAT(efficiency->rate, WithinRel(3e12, 1e-12));
  CHECK(efficiency->ceiling == 4e12);  // no SM clock scales it
  CHECK_FALSE(efficiency->clockRatio);
  CHECK_THAT(efficiency->share, WithinRel(0.75, 1e-12));
  CHECK(efficiencyText(efficiency) == "75.0 % memory");
}

TEST_CASE("operations bind where they take longer, at the clock of the passes") {
  const auto efficiency = efficiencyOf(runOn(4.95e9, 30e6), 0);
  REQUIRE(efficiency);
  // 4.95e9 / 9.9e14 = 5 us of operations, but 30e6 / 4e12 = 7.5 us of bytes.
  CHECK(efficiency->bound == Bound::Memory);
  const auto compute = efficiencyOf(runOn(4.95e9, 10e6), 0);
  REQUIRE(compute);
  CHECK(compute->bound == Bound::Compute);
  CHECK_THAT(compute->rate, WithinRel(4.95e14, 1e-12));
  CHECK_THAT(compute->ceiling, WithinRel(9.9e14, 1e-12));
  CHECK_THAT(compute->clockRatio.value_or(0), WithinRel(1'980.0 / 1'600, 1e-12));
  CHECK_THAT(compute->share, WithinRel(0.5, 1e-12));
  CHECK(efficiencyText(compute) == "50.0 % compute");
}

TEST_CASE("without a clock the ceiling is as it was measured, and that is said") {
  const Run run = runOn(4e9, 10e6, std::nullopt);
  const auto efficiency = efficiencyOf(run, 0);
  REQUIRE(efficiency);
  CHECK(efficiency->ceiling == 8e14);
  CHECK_FALSE(efficiency->clockRatio);
  CHECK_THAT(efficiency->share, WithinRel(0.5, 1e-12));
  CHECK_THAT(ceilingSentence(run), ContainsSubstring("as it was measured, because an SM clock is not known"));
  CHECK_THAT(
      ceilingSentence(runOn(4e9, 10e6)),
      ContainsSubstring("4.000 TB/s (triad float32 n=1 at 1980 MHz), 800.0 TFLOP/s (gemm bfloat16 m=8192 "
                        "at 1600 MHz); the ceiling of compute is taken at the SM clock"));
  Run unknown = runOn(4e9, 10e6);
  unknown.ceilings->matrix->smClockMhz.reset();
  CHECK_FALSE(efficiencyOf(unknown, 0)->clockRatio);
}

TEST_CASE("where nothing can be said there is no efficiency, and no zero") {
  Run none = runOn(4e9, 10e6);
  none.ceilings.reset();
  CHECK_FALSE(efficiencyOf(none, 0));
  CHECK(ceilingSentence(none).empty());
  Run stale = runOn(4e9, 10e6);
  stale.ceilings->differences = {"driver was 575.1, now 580.2"};
  CHECK_FALSE(efficiencyOf(stale, 0));
  CHECK_THAT(ceilingSentence(stale), ContainsSubstring("No efficiency") &&
                                         ContainsSubstring("driver was 575.1, now 580.2") &&
                                         ContainsSubstring("opscope ceilings"));
  Run failed = runOn(4e9, 10e6);
  failed.implementations[0].failure = ErrorInfo{ErrorCode::WrongResult, "wrong", "", {}};
  CHECK_FALSE(efficiencyOf(failed, 0));
  // Operations in a dtype whose matrix rate is not known: which of the two binds cannot be said.
  Run other = runOn(4e9, 10e6);
  other.ceilings->matrix.reset();
  CHECK_FALSE(efficiencyOf(other, 0));
  CHECK_THAT(ceilingSentence(other), ContainsSubstring("no ceiling of operations in bfloat16"));
  other.flops = 0;
  CHECK(efficiencyOf(other, 0)->bound == Bound::Memory);
  CHECK_FALSE(efficiencyOf(runOn(0, 0), 0));
  Run noMemory = runOn(4e9, 10e6);
  noMemory.ceilings->memory.reset();
  CHECK_FALSE(efficiencyOf(noMemory, 0));
  Run damaged = runOn(4e9, 10e6);
  damaged.ceilings.reset();
  damaged.environment[kCeilingsProblem] = "cannot be understood";
  CHECK(ceilingSentence(damaged) == "Warning: no ceilings are used: cannot be understood");
}

TEST_CASE("table, CSV and JSON have the columns with ceilings, and none or nothing in them without") {
  const auto with = std::make_shared<const Run>(runOn(4.95e9, 10e6));
  Run bare = *with;
  bare.ceilings.reset();
  const auto without = std::make_shared<const Run>(bare);
  const auto hasColumn = [](const Run& run) {
    const SummaryRows rows = summaryRows(run);
    for (const auto& row : rows.rows) CHECK(row.cells.size() + 1 == rows.columns.size());
    return std::count(rows.columns.begin(), rows.columns.end(), "efficiency") == 1;
  };
  CHECK(hasColumn(*with));
  CHECK_FALSE(hasColumn(*without));
  CHECK_THAT(runsTable({with}),
             ContainsSubstring("50.0 % compute") && ContainsSubstring("* Efficiency is of"));
  CHECK_THAT(runsMarkdown({with}),
             ContainsSubstring("| efficiency |") && ContainsSubstring("50.0 % compute"));
  CHECK_THAT(summaryCsv({with}), ContainsSubstring("bound,efficiency,ceiling_per_s,ceiling_clock_ratio,") &&
                                     ContainsSubstring(",compute,0.4999"));
  CHECK_THAT(summaryCsv({without}), !ContainsSubstring(",compute,"));
  const auto json = nlohmann::json::parse(runsJson({with, without}));
  const auto& first = json["runs"][0];
  CHECK(first["implementations"][0]["efficiency"]["bound"] == "compute");
  CHECK(first["implementations"][0]["efficiency"]["share"].get<double>() == efficiencyOf(*with, 0)->share);
  CHECK(first["ceilings"]["memory"]["per_s"] == 4e12);
  CHECK(first["ceilings"]["used"] == true);
  CHECK(json["runs"][1]["implementations"][0]["efficiency"].is_null());
  CHECK(json["runs"][1]["ceilings"].is_null());
}
