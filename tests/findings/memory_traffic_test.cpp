// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "findings/findings.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t kMB = 1'000'000;

// Busy 10 us, L2 of 60 MB.
Run runThat(double claims, std::int64_t reads, std::int64_t writes, const std::string& l2 = "clean") {
  Run run;
  run.bytes = claims;
  ImplementationResult result;
  result.name = "eager";
  result.busy.n = 100;
  result.busy.median = 10'000;
  result.counters = CounterReading{
      .l2 = l2, .l2Bytes = 60 * kMB, .copies = 0, .kernels = {"k"}, .calls = {{{reads, writes, 0, 0}}}};
  run.implementations.push_back(std::move(result));
  return run;
}

// The other rules have nothing to say of this run.
std::vector<Finding> judge(const Run& run) {
  return findIn(run);
}

}  // namespace

TEST_CASE("a claim within 10 % of what moved is no finding") {
  CHECK(judge(runThat(200e6, 100 * kMB, 100 * kMB)).empty());
  CHECK(judge(runThat(200e6, 119 * kMB, 100 * kMB)).empty());
  CHECK(judge(runThat(200e6, 91 * kMB, 91 * kMB)).empty());
}

TEST_CASE("a claim below what moved is a warning with both rates") {
  const auto found = judge(runThat(20e6, 80 * kMB, 20 * kMB));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "moves-more-than-claimed");
  CHECK(found[0].severity == Finding::Severity::Warning);
  CHECK(found[0].implementation == 0);
  CHECK_THAT(found[0].sentence,
             ContainsSubstring("DRAM moved 100.0 MB per call (80.00 MB read, 20.00 MB written)"));
  CHECK_THAT(found[0].sentence, ContainsSubstring("claims 20.00 MB: 5x"));
  CHECK_THAT(found[0].sentence, ContainsSubstring("10.00 TB/s, its TB/s shows 2.000 TB/s"));
  CHECK(found[0].sentence.find("zeros") == std::string::npos);
  CHECK_THAT(judge(runThat(20e6, 80 * kMB, 20 * kMB, "zero")).at(0).sentence,
             ContainsSubstring("clear by zeros"));
}

TEST_CASE("a claim above what moved is a warning where L2 is too small to hold all of it") {
  const auto found = judge(runThat(100e6, 50 * kMB, 0));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "moves-less-than-claimed");
  CHECK(found[0].severity == Finding::Severity::Warning);
  CHECK_THAT(found[0].sentence, ContainsSubstring("DRAM's rate is 5.000 TB/s, not 10.00 TB/s"));
}

TEST_CASE("below the size of L2 it is said that L2 holds the output") {
  const auto found = judge(runThat(33e6, 17 * kMB, 0));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "l2-holds-output");
  CHECK(found[0].severity == Finding::Severity::Note);
  CHECK_THAT(found[0].sentence, ContainsSubstring("holds the output when the call ends"));
  CHECK_THAT(judge(runThat(33e6, 0, 0, "warm")).at(0).sentence, ContainsSubstring("holds input and output"));
}

TEST_CASE("copies are said not to be counted, unless the call was counted as a whole") {
  Run run = runThat(200e6, 100 * kMB, 100 * kMB);
  run.implementations[0].counters->copies = 2;
  REQUIRE(judge(run).size() == 1);
  CHECK(judge(run)[0].rule == "copies-not-counted");
  run.implementations[0].counters->together = true;
  CHECK(judge(run).empty());
}

TEST_CASE("without a number, a reading or a claim there is nothing to judge") {
  Run run = runThat(20e6, 80 * kMB, 20 * kMB);
  run.bytes = 0;
  CHECK(judge(run).empty());
  run = runThat(20e6, 80 * kMB, 20 * kMB);
  run.implementations[0].counters.reset();
  CHECK(judge(run).empty());
  run = runThat(20e6, 80 * kMB, 20 * kMB);
  run.implementations[0].failure = ErrorInfo{};
  CHECK(judge(run).empty());
}
