// SPDX-License-Identifier: Apache-2.0
#include "session/gate.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "session/gated_runs.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Six blocks A B B A of one-pass and eager; one-pass takes 10 us.
Run against(Ns eager) {
  Run run = runOfPasses({});
  run.implementations.push_back({.name = "eager"});
  std::vector<Ns> times;
  for (int block = 0; block < 6; ++block) times.insert(times.end(), {10'000, eager, eager, 10'000});
  run.passes = runOfPasses(times).passes;
  for (std::uint32_t p = 0; p < run.passes.size(); ++p) {
    auto pass = std::make_shared<Pass>(*run.passes[p]);
    pass->block = p / 4;
    pass->position = p % 4;
    pass->implementation = p % 4 == 1 || p % 4 == 2 ? 1 : 0;
    run.passes[p] = pass;
  }
  summariseRun(run);
  return run;
}

}  // namespace

TEST_CASE("within a run, only what is slower than the baseline counts") {
  const GateReport slower = gateWithin(against(12'000), {});
  CHECK(slower.rows == 1);
  CHECK(slower.slower == 1);
  CHECK(gateSentence(slower) == "Gate: 1 of 1 is slower.");
  REQUIRE(slower.sentences.size() == 1);
  CHECK_THAT(slower.sentences[0], ContainsSubstring("eager is slower than one-pass: ratio 1.2000"));
  CHECK(gateWithin(against(8'000), {}).slower == 0);
  const GateReport same = gateWithin(against(10'000), {});
  CHECK(same.slower == 0);
  CHECK(same.undecided == 0);
  CHECK(gateSentence(same) == "Gate: none of 1 is slower.");
}

TEST_CASE("the baseline that was asked for is the one, and a higher threshold forgives") {
  Run run = against(12'000);
  run.baseline = 1;
  summariseRun(run);
  CHECK(gateWithin(run, {}).slower == 0);
  CHECK(gateWithin(against(12'000), 0.25).slower == 0);
  CHECK(gateWithin(against(12'000), 0.15).slower == 1);
  CHECK_THAT(gateWithin(against(12'000), 0.25).sentences[0], ContainsSubstring("within 25 % (as asked)"));
}

TEST_CASE("one block gives no verdict, and an undecided row is none that is slower") {
  Run run = against(20'000);
  run.passes.resize(4);
  summariseRun(run);
  const GateReport report = gateWithin(run, {});
  CHECK(report.slower == 0);
  CHECK(report.undecided == 1);
  CHECK(gateSentence(report) == "Gate: none of 1 is slower, 1 undecided.");
}

TEST_CASE("nothing to be slower than is refused") {
  CHECK(gateWithin(runOfPasses({10'000, 10'000}), {}).refusals.size() == 1);
  Run run = against(12'000);
  run.implementations[0].failure = ErrorInfo{ErrorCode::WrongResult, "wrong", "", {}};
  run.implementations.push_back({.name = "third"});
  summariseRun(run);
  const GateReport report = gateWithin(run, {});
  REQUIRE(report.refusals.size() == 1);
  CHECK_THAT(report.refusals[0].message, ContainsSubstring("The baseline one-pass has no number"));
  CHECK(report.rows == 0);
  CHECK(gateSentence(report) == "Gate: nothing was compared, 1 could not be compared.");
}

TEST_CASE("an implementation that failed is not in the gate: its failure is one already") {
  Run run = against(12'000);
  run.implementations[1].failure = ErrorInfo{ErrorCode::WrongResult, "wrong", "", {}};
  summariseRun(run);
  const GateReport report = gateWithin(run, {});
  CHECK(report.rows == 0);
  CHECK(report.refusals.empty());
}

TEST_CASE("against a session every implementation is its own baseline") {
  const std::vector<std::shared_ptr<const Run>> earlier{std::make_shared<const Run>(against(12'000))};
  const GateReport same = gateAgainst(against(12'000), earlier, {});
  CHECK(same.rows == 2);
  CHECK(same.slower == 0);
  GateReport slower = gateAgainst(against(14'000), earlier, {});
  CHECK(slower.slower == 1);
  CHECK_THAT(slower.sentences[1], ContainsSubstring("eager is slower than in the baseline"));
  Run renamed = against(12'000);
  renamed.implementations[1].name = "new";
  const GateReport missing = gateAgainst(renamed, earlier, {});
  CHECK(missing.rows == 1);
  REQUIRE(missing.refusals.size() == 1);
  CHECK_THAT(missing.refusals[0].message, ContainsSubstring("by new"));
  slower.add(missing);
  slower.add(slower);
  CHECK(gateSentence(slower) == "Gate: 2 of 6 are slower, 2 could not be compared.");
}
