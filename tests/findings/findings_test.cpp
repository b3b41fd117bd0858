// SPDX-License-Identifier: Apache-2.0
#include "findings/findings.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "trace/trace_builder.h"

using namespace opscope;
using opscope::test::TraceBuilder;

namespace {

// Iterations of two kernels of 10 us, the second issued `late` ns after the first ended.
std::shared_ptr<Pass> makePass(std::size_t iterations, Ns late, const std::string& name = "k") {
  TraceBuilder b(iterations);
  for (std::uint64_t i = 0; i < iterations; ++i) {
    const Ns base = 1'000'000 * static_cast<Ns>(i + 1);
    b.kernel(b.launch(i, base, base + 1'000), base + 5'000, base + 15'000, 7, name).queued = base + 1'000;
    const Ns issued = base + 15'000 + late;
    b.kernel(b.launch(i, issued - 1'000, issued), issued + 4'000, issued + 14'000, 7, name).queued = issued;
  }
  auto pass = std::make_shared<Pass>();
  const Attribution attribution = attribute(b.trace);
  pass->samples = measure(b.trace, attribution);
  pass->gaps = findGaps(b.trace, attribution,
                        {.launchLatency = 4'000, .offsetLow = -100, .offsetHigh = 100, .known = true});
  pass->trace = std::move(b.trace);
  return pass;
}

Run runOf(std::vector<std::shared_ptr<Pass>> passes) {
  Run run;
  run.implementations.push_back({.name = "eager"});
  for (auto& pass : passes) run.passes.push_back(std::move(pass));
  summariseRun(run);
  return run;
}

const Finding* named(const std::vector<Finding>& findings, const std::string& rule) {
  const auto at =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
  return at == findings.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("host-late gaps are counted, and the sentence points at the largest") {
  const auto findings = findIn(runOf({makePass(30, 6'000)}));
  const Finding* found = named(findings, "idle-host-late");
  REQUIRE(found);
  CHECK(found->severity == Finding::Severity::Warning);
  CHECK_THAT(found->sentence,
             Catch::Matchers::StartsWith("eager: 30 of 30 gaps are host-late, 10.00 us per iteration"));
  CHECK_THAT(found->sentence, Catch::Matchers::ContainsSubstring("in 30 of 30 iterations"));
  CHECK(found->pass == 0);
  CHECK(found->gap >= 0);
}

TEST_CASE("idle time that drowns in the latency is not worth a sentence") {
  const auto pass = makePass(30, 6'000);
  for (Sample& sample : pass->samples) sample.latency = 10'000'000;
  CHECK_FALSE(named(findIn(runOf({pass})), "idle-host-late"));
}

TEST_CASE("few samples are said, with the reason when a call is long") {
  CHECK(named(findIn(runOf({makePass(10, 0)})), "few-samples"));
  CHECK_FALSE(named(findIn(runOf({makePass(20, 0)})), "few-samples"));
  Run slow = runOf({makePass(10, 0)});
  slow.implementations[0].iterationCost = 20 * kMillisecond;
  CHECK_THAT(named(findIn(slow), "few-samples")->sentence,
             Catch::Matchers::ContainsSubstring("more than 10 ms"));
}

TEST_CASE("other kernels in another pass are said before anything else") {
  const auto findings = findIn(runOf({makePass(30, 6'000), makePass(30, 6'000, "other")}));
  REQUIRE(named(findings, "different-kernels"));
  CHECK(findings.front().rule == "different-kernels");
  CHECK_FALSE(named(findIn(runOf({makePass(30, 6'000), makePass(30, 6'000)})), "different-kernels"));
}

TEST_CASE("copies are warned about") {
  auto pass = makePass(30, 0);
  for (Sample& sample : pass->samples) {
    sample.memops = 1;
    sample.memopTime = 5'200;
  }
  const auto findings = findIn(runOf({pass}));
  REQUIRE(named(findings, "memops-outside-busy"));
  CHECK_THAT(named(findings, "memops-outside-busy")->sentence,
             Catch::Matchers::ContainsSubstring("5.200 us"));
}

TEST_CASE("passes at different clocks are named") {
  auto slow = makePass(30, 0), fast = makePass(30, 0);
  slow->telemetry.push_back({.at = 1, .smClockMhz = 1755});
  fast->telemetry.push_back({.at = 1, .smClockMhz = 1980});
  const auto findings = findIn(runOf({fast, slow}));
  REQUIRE(named(findings, "clock-difference"));
  CHECK(named(findings, "clock-difference")->pass == 1);
  slow->telemetry[0].smClockMhz = 1975;
  CHECK_FALSE(named(findIn(runOf({fast, slow})), "clock-difference"));
}

TEST_CASE("an implementation without a number has no findings") {
  Run run = runOf({makePass(10, 6'000)});
  run.implementations[0].failure = ErrorInfo{ErrorCode::NoKernel, "x", "", {}};
  CHECK(findIn(run).empty());
}
