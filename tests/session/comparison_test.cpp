// SPDX-License-Identifier: Apache-2.0
#include "session/comparison.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "session/export.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

// Blocks A B B A of one-pass (A) and eager (B), every iteration of a pass of one length. The length of B's
// passes is given by block; A takes 10 us.
Run blocksOf(const std::vector<Ns>& eager) {
  Run run;
  run.op = "rms_norm";
  run.blocks = static_cast<std::uint32_t>(eager.size());
  run.implementations = {{.name = "one-pass"}, {.name = "eager"}};
  std::uint32_t number = 0;
  for (std::uint32_t block = 0; block < eager.size(); ++block)
    for (const std::uint32_t implementation : {0U, 1U, 1U, 0U}) {
      auto pass = std::make_shared<Pass>();
      pass->block = block;
      pass->pass = number;
      pass->position = number % 4;
      pass->implementation = implementation;
      for (std::uint32_t i = 0; i < 3; ++i) {
        const Ns busy = implementation == 0 ? 10'000 : eager[block];
        pass->samples.push_back({.busy = busy, .latency = busy, .kernels = 1});
        const Ns at = number * kSecond + i * kMillisecond;
        pass->trace.iterations.push_back({at, at + 1, at + busy + 1});
      }
      run.passes.push_back(std::move(pass));
      ++number;
    }
  summariseRun(run);
  return run;
}

std::string sentenceOf(const Run& run) {
  REQUIRE(run.comparison);
  REQUIRE(run.comparison->rows.size() == 1);
  return verdictSentence(run, *run.comparison, run.comparison->rows.front());
}

}  // namespace

TEST_CASE("a run compares its implementations with the first that has a number") {
  Run run = blocksOf({12'000, 12'000, 12'000, 12'000, 12'000, 12'000});
  REQUIRE(run.comparison);
  CHECK(run.comparison->baseline == 0);
  CHECK_THAT(*run.comparison->rowOf(1)->ratio, WithinRel(1.2, 1e-12));
  run.implementations[0].failure = ErrorInfo{ErrorCode::WrongResult, "wrong", "", {}};
  run.implementations.push_back({.name = "third"});
  summariseRun(run);
  CHECK_FALSE(run.comparison);  // one number is nothing to compare
}

TEST_CASE("the baseline is the one that was asked for, where it has a number") {
  Run run = blocksOf({12'000});
  run.baseline = 1;
  summariseRun(run);
  CHECK(run.comparison->baseline == 1);
  CHECK_THAT(*run.comparison->rowOf(0)->ratio, WithinRel(1 / 1.2, 1e-12));
  run.baseline = 7;
  summariseRun(run);
  CHECK(run.comparison->baseline == 0);
  const Run other = withBaseline(blocksOf({12'000}), "eager");
  CHECK(other.comparison->baseline == 1);
  CHECK_THROWS_AS(withBaseline(run, "cublas"), UnknownName);
}

TEST_CASE("each verdict is one plain sentence with its evidence") {
  CHECK(
      sentenceOf(blocksOf(std::vector<Ns>(6, 12'000))) ==
      "eager is slower than one-pass: ratio 1.2000, 95 % interval 1.2000 to 1.2000 over 6 blocks, all of it "
      "beyond 1 %.");
  CHECK(
      sentenceOf(blocksOf(std::vector<Ns>(6, 8'000))) ==
      "eager is faster than one-pass: ratio 0.8000, 95 % interval 0.8000 to 0.8000 over 6 blocks, all of it "
      "beyond 1 %.");
  CHECK(sentenceOf(blocksOf(std::vector<Ns>(6, 10'050))) ==
        "eager is as fast as one-pass: ratio 1.0050, 95 % interval 1.0050 to 1.0050 over 6 blocks, all of it "
        "within 1 %.");
  CHECK_THAT(sentenceOf(blocksOf({9'500, 10'500, 9'500, 10'500})),
             ContainsSubstring("Undecided between eager and one-pass: ratio 0.99") &&
                 ContainsSubstring("over 4 blocks crosses the threshold of 1 %."));
}

TEST_CASE("without an interval the sentence says why, and how many blocks would give one") {
  CHECK(sentenceOf(blocksOf({12'000})) ==
        "No verdict on eager against one-pass: ratio 1.2000; one block cancels linear drift but gives no "
        "interval: --blocks 6.");
  CHECK(sentenceOf(blocksOf({12'000, 12'000})) ==
        "No verdict on eager against one-pass: ratio 1.2000; an interval needs 4 blocks, and 2 are complete: "
        "--blocks 6.");
  Run stopped = blocksOf({12'000});
  stopped.passes.resize(2);
  summariseRun(stopped);
  CHECK(sentenceOf(stopped) == "No verdict on eager against one-pass: no block has both passes of both.");
  CHECK(fixedOrderSentence(stopped, *stopped.comparison).empty());
}

TEST_CASE("the threshold's origin is said where it is not the method's 1 %") {
  Run run = blocksOf(std::vector<Ns>(6, 10'200));
  run.noiseFloor = NoiseFloor{0.03, "2026-01-31 12:00", {"driver was 575.1, now 580.2"}};
  summariseRun(run);
  CHECK_THAT(sentenceOf(run), ContainsSubstring("as fast as one-pass") &&
                                  ContainsSubstring("all of it within 3 % (this device's noise floor)."));
  CHECK(thresholdSentence(run) ==
        "Noise floor of this device 3 %, from A/A comparisons (2026-01-31 12:00). It was measured in another "
        "environment: driver was 575.1, now 580.2.");
  run.noiseFloor.reset();
  run.timestampTick = 500;
  summariseRun(run);
  CHECK_THAT(sentenceOf(run), ContainsSubstring("within 5 % (one step of the timestamps)."));
  CHECK_THAT(thresholdSentence(run), ContainsSubstring("no noise floor of this device is known"));
}

TEST_CASE("other kernels in another pass are said before any verdict") {
  Run run = blocksOf(std::vector<Ns>(6, 12'000));
  run.findings.push_back({.rule = "different-kernels", .sentence = "...", .implementation = 1});
  CHECK_THAT(sentenceOf(run), Catch::Matchers::StartsWith("eager ran different kernels in different passes. "
                                                          "eager is slower than one-pass"));
}

TEST_CASE("what a fixed order would have claimed stands beside what is true") {
  CHECK(
      fixedOrderSentence(blocksOf({12'000, 11'000}), *blocksOf({12'000, 11'000}).comparison) ==
      "A fixed order A B, each once, would have claimed against one-pass: eager 1.2000 (drift-free 1.1489).");
}

TEST_CASE("drift, spread and settling have their sentences") {
  Run run = blocksOf({12'000, 13'000});
  // B's passes are 1 s apart and equal inside each block.
  CHECK(driftSentence(*run.comparison) ==
        "Drift: all times changed by +0 % from pass to pass (one every 1.000 s; 4 mirrored pairs).");
  const auto spread = spreadSentences(run, *run.comparison);
  REQUIRE(spread.size() == 1);
  CHECK(spread[0] ==
        "eager: its passes differ by 8.33 % (12.00 us to 13.00 us), more than the 1.000 ns that one pass "
        "spreads "
        "over (IQR): the pooled median is biased, the drift-free ratio is not.");
  CHECK(settlingSentence(run).empty());
  run.settling = Settling{true, 120 * kMillisecond, 3 * kSecond, 4, 345, 1980};
  CHECK(settlingSentence(run) == "Settled in 120.0 ms before the first block, SM clock 345 to 1980 MHz.");
  run.settling = Settling{false, 3 * kSecond, 3 * kSecond, 40, {}, {}};
  CHECK(settlingSentence(run) ==
        "Not settled within the limit of 3.000 s before the first block: drift is to be expected.");
}

TEST_CASE("a cell holds the ratio with its interval, and a word with its reason") {
  const Run decided = blocksOf(std::vector<Ns>(6, 12'000));
  CHECK(ratioText(decided.comparison->rows[0]) == "1.2000 [1.2000, 1.2000]");
  CHECK(verdictText(decided.comparison->rows[0]) == "slower");
  const Run one = blocksOf({12'000});
  CHECK(ratioText(one.comparison->rows[0]) == "1.2000");
  CHECK(verdictText(one.comparison->rows[0]) == "undecided (one-block)");
  CHECK(ratioText(AgainstBaseline{}) == "-");
}

TEST_CASE("a comparison comes back from a session as it was") {
  const TemporaryFolder folder;
  Run run = blocksOf({12'000, 12'100, 11'900, 12'345});
  run.baseline = 1;
  run.noiseFloor = NoiseFloor{0.0123, "2026-01-31 12:00", {"driver was 575.1, now 580.2", "another host"}};
  run.settling = Settling{false, 3 * kSecond + 1, 3 * kSecond, 40, 345, std::nullopt};
  summariseRun(run);
  const Run one = blocksOf({12'000});
  writeSession(folder / "s.opscope", {std::make_shared<Run>(run), std::make_shared<Run>(one)});
  const Session session = readSession(folder / "s.opscope");
  REQUIRE(session.runs.size() == 2);
  const Run& back = *session.runs[0];
  CHECK(back.baseline == run.baseline);
  CHECK(back.noiseFloor == run.noiseFloor);
  CHECK(back.settling == run.settling);
  CHECK(back.comparison == run.comparison);
  CHECK(session.runs[1]->comparison == one.comparison);
  CHECK_FALSE(session.runs[1]->baseline);
  CHECK_FALSE(session.runs[1]->settling);
  CHECK_FALSE(session.runs[1]->noiseFloor);
}

TEST_CASE("a comparison that names what is not there is damage") {
  const TemporaryFolder folder;
  for (const char* change :
       {"UPDATE comparison SET baseline = 2", "UPDATE comparison SET requested_baseline = -1",
        "UPDATE comparison_ratio SET implementation = 9",
        "UPDATE pass_spread SET implementation = 5 WHERE "
        "implementation = 1"}) {
    INFO(change);
    Run run = blocksOf({12'000});
    run.baseline = 0;
    writeSession(folder / "s.opscope", {std::make_shared<Run>(run)});
    sqlite::Database(folder / "s.opscope", sqlite::Database::Mode::ReadWrite).execute(change);
    CHECK_THROWS_AS(readSession(folder / "s.opscope"), CannotRead);
  }
}

namespace {

// What a session of version 1 has not.
void makeVersionOne(const std::filesystem::path& file) {
  sqlite::Database db(file, sqlite::Database::Mode::ReadWrite);
  for (const char* table : {"settling", "noise_floor", "noise_floor_difference", "comparison",
                            "comparison_ratio", "comparison_block", "pass_spread"})
    db.execute(std::string("DROP TABLE ") + table);
  db.execute("PRAGMA user_version = 1");
}

}  // namespace

TEST_CASE("runs of a version-1 session are compared from their passes") {
  const TemporaryFolder folder;
  const Run run = blocksOf({12'000, 12'100, 11'900, 12'345});
  writeSession(folder / "s.opscope", {std::make_shared<Run>(run)});
  makeVersionOne(folder / "s.opscope");
  CHECK(readSession(folder / "s.opscope").runs.at(0)->comparison == run.comparison);
}

TEST_CASE("a version-1 session to which a run is added becomes one of today") {
  const TemporaryFolder folder;
  const Run run = blocksOf({12'000, 12'100});
  writeSession(folder / "s.opscope", {std::make_shared<Run>(run)});
  makeVersionOne(folder / "s.opscope");
  {
    SessionWriter writer(folder / "s.opscope");
    writer.addRun(run);
    writer.close();
  }
  const Session session = readSession(folder / "s.opscope");
  REQUIRE(session.runs.size() == 2);
  CHECK(session.runs[0]->comparison == run.comparison);
  CHECK(session.runs[1]->comparison == run.comparison);
  sqlite::Database db(folder / "s.opscope", sqlite::Database::Mode::ReadOnly);
  CHECK(db.integer("PRAGMA user_version") == 2);
}

TEST_CASE("table and Markdown show ratio, verdict and every sentence") {
  const Run run = blocksOf({12'000, 13'000, 12'000, 13'000});
  const Runs runs{std::make_shared<Run>(run)};
  for (const std::string& text : {runsTable(runs), runsMarkdown(runs)}) {
    CHECK_THAT(text, ContainsSubstring("ratio") && ContainsSubstring("verdict") &&
                         ContainsSubstring("baseline") && ContainsSubstring("slower") &&
                         ContainsSubstring("eager is slower than one-pass: ratio") &&
                         ContainsSubstring("A fixed order A B, each once, would have claimed") &&
                         ContainsSubstring("Warning: eager: its passes differ by") &&
                         ContainsSubstring("no noise floor of this device is known"));
  }
  // Alone there is nothing to compare, and no empty column says so.
  Run alone = run;
  alone.implementations.resize(1);
  std::erase_if(alone.passes, [](const auto& pass) { return pass->implementation == 1; });
  summariseRun(alone);
  CHECK_THAT(runsTable({std::make_shared<Run>(alone)}), !ContainsSubstring("verdict"));
}

TEST_CASE("the CSV of comparisons has a row per implementation against the baseline") {
  const Run run = blocksOf({20'000, 20'000, 20'000, 20'000});
  const std::string csv = comparisonCsv({std::make_shared<Run>(run), std::make_shared<Run>()});
  CHECK_THAT(
      csv, Catch::Matchers::StartsWith(
               "op,workload,dtype,dimensions,implementation,baseline,pooled_ratio,ratio,ratio_low,ratio_high,"
               "blocks_compared,verdict,verdict_reason,fixed_order_ratio,threshold,threshold_source,"));
  CHECK_THAT(csv, ContainsSubstring(",eager,one-pass,2,2,2,2,4,slower,beyond-threshold,2,0.01,method,"));
  CHECK_THAT(csv, ContainsSubstring(",0:2 1:2 2:2 3:2,4,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 2);
  const std::string summary = summaryCsv({std::make_shared<Run>(run)});
  CHECK_THAT(summary, ContainsSubstring(",one-pass,2,2,2,2,4,slower,beyond-threshold,"));
  CHECK_THAT(summary, ContainsSubstring(",one-pass,,,,,,,,"));  // the baseline itself
}

TEST_CASE("JSON holds the comparison with its evidence") {
  Run run = blocksOf({20'000, 20'000, 20'000, 20'000});
  run.noiseFloor = NoiseFloor{0.03, "2026-01-31 12:00", {}};
  run.settling = Settling{true, 5, 10, 3, {}, {}};
  summariseRun(run);
  const auto json =
      nlohmann::json::parse(runsJson({std::make_shared<Run>(run)})).at("runs").at(0).at("comparison");
  CHECK(json.at("baseline") == "one-pass");
  const auto& row = json.at("against").at(0);
  CHECK(row.at("implementation") == "eager");
  CHECK(row.at("ratio") == 2.0);
  CHECK(row.at("interval").at("low") == 2.0);
  CHECK(row.at("verdict") == "slower");
  CHECK(row.at("reason") == "beyond-threshold");
  CHECK(row.at("threshold").at("source") == "noise-floor");
  CHECK(row.at("blocks").size() == 4);
  CHECK(row.at("sentence") == sentenceOf(run));
  CHECK(json.at("drift").at("pass_step_ns") == kSecond);
  CHECK(json.at("settling").at("took_ns") == 5);
  CHECK(json.at("noise_floor").at("share") == 0.03);
  CHECK(
      nlohmann::json::parse(runsJson({std::make_shared<Run>()})).at("runs").at(0).at("comparison").is_null());
}
