// SPDX-License-Identifier: Apache-2.0
#include "session/history.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "session/gated_runs.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::shared_ptr<Run> at(std::int64_t day, Ns busy, const std::string& kernel = "norm") {
  auto run = std::make_shared<Run>(runOfPasses({busy, busy + 10, busy + 20, busy + 30}, kernel));
  run->startedUnixNs = day * 86'400 * kSecond;
  return run;
}

}  // namespace

TEST_CASE("a history is ordered by time and judged against its first point") {
  const std::vector<HistoryRun> runs{{at(3, 12'000), 0}, {at(1, 10'000), 1}, {at(2, 10'000, "other"), 0}};
  const auto history = historyOf(runs);
  REQUIRE(history.size() == 1);
  const HistorySeries& series = history[0];
  REQUIRE(series.points.size() == 3);
  CHECK(series.points[0].run == runs[1].run);
  CHECK(series.points[0].session == 1);
  CHECK_FALSE(series.points[0].against);
  CHECK(series.points[1].otherKernels());
  CHECK(series.points[1].against->verdict == Verdict::Same);
  CHECK(series.points[2].against->verdict == Verdict::Slower);
  CHECK(series.points[2].against->ratio == 12'015.0 / 10'015.0);
  CHECK(series.band.share == 0.01);
  CHECK_THAT(bandSentence(series), ContainsSubstring("no noise floor of the device is known"));
}

TEST_CASE("the reference can be another point, and the band is the largest noise floor") {
  auto noisy = at(2, 10'000);
  noisy->noiseFloor = NoiseFloor{0.03, "2026-01-31 12:00 UTC", {}};
  const std::vector<HistoryRun> runs{{at(1, 12'000), 0}, {noisy, 0}};
  const HistoryPoint reference{noisy, 0, 0, {}, {}};
  const auto history = historyOf(runs, &reference);
  REQUIRE(history.size() == 1);
  CHECK(history[0].reference == 1);
  CHECK_FALSE(history[0].points[1].against);
  CHECK(history[0].points[0].against->verdict == Verdict::Slower);
  CHECK(history[0].band.share == 0.03);
  CHECK(history[0].band.source == Threshold::Source::NoiseFloor);
  CHECK_THAT(bandSentence(history[0]), ContainsSubstring("3 % (this device's noise floor)"));
}

TEST_CASE("what is under another key is a series of its own; what has no number is none") {
  auto warm = at(2, 10'000), slow = at(3, 10'000), other = at(4, 10'000), failed = at(5, 10'000),
       imported = at(6, 10'000), elsewhere = at(7, 10'000);
  warm->l2 = "warm";
  for (auto& pass : slow->passes) {
    auto at1200 = std::make_shared<Pass>(*pass);
    at1200->telemetry[0].smClockMhz = 1'200;
    pass = at1200;
  }
  other->dims["M"] = 1;
  failed->implementations[0].busy = {};
  imported->figures = "imported";
  elsewhere->environment["device uuid"] = "GPU-9";
  const std::vector<HistoryRun> runs{{at(1, 10'000), 0}, {warm, 0},     {slow, 0},      {other, 0},
                                     {failed, 0},        {imported, 0}, {elsewhere, 0}, {at(8, 10'000), 0}};
  const auto history = historyOf(runs);
  REQUIRE(history.size() == 5);
  CHECK(history[0].points.size() == 2);
  for (std::size_t i = 1; i < 5; ++i) CHECK(history[i].points.size() == 1);
}

TEST_CASE("a history as tables and as CSV names its sessions") {
  const std::vector<HistoryRun> runs{{at(1, 10'000), 0}, {at(2, 13'000, "other"), 1}};
  const auto history = historyOf(runs);
  const auto tables = historyTables(history, {"a.opscope", "b.opscope"});
  REQUIRE(tables.size() == 1);
  CHECK_THAT(tables[0].title, ContainsSubstring("rms_norm  llama  bfloat16"));
  REQUIRE(tables[0].rows.size() == 2);
  CHECK(tables[0].rows[0].back() == "reference");
  CHECK(tables[0].rows[1][1] == "b.opscope");
  CHECK(tables[0].rows[1].back() == "different kernels; slower");
  CHECK_THAT(drawTable(tables[0]), ContainsSubstring("ran other kernels than in the baseline"));
  const std::string csv = historyCsv(history, {"a.opscope", "b.opscope"});
  CHECK_THAT(csv, ContainsSubstring(",a.opscope,10015,"));
  CHECK_THAT(csv, ContainsSubstring(",slower,1,"));
  CHECK(historyOf({}).empty());
  CHECK(historyTables({}, {}).empty());
}
