// SPDX-License-Identifier: Apache-2.0
#include "findings/findings.h"

#include <algorithm>
#include <catch2/catch_approx.hpp>
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

double valueOf(const Finding& finding, const std::string& name) {
  for (const Evidence& evidence : finding.evidence)
    if (evidence.name == name) return evidence.value;
  FAIL("no evidence named " << name);
  return 0;
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

TEST_CASE("a label that the pre-queued experiment refutes is said, with both figures") {
  Run run = runOf({makePass(30, 6'000)});
  PrequeuedComparison& comparison = run.implementations[0].prequeued.emplace().comparison;
  comparison.gaps = {{.position = 1,
                      .before = "a",
                      .after = "b",
                      .normal = 8'000,
                      .held = 1'500,
                      .label = GapCause::HostLate,
                      .labelled = 30,
                      .count = 30,
                      .result = ExperimentResult::Confirmed}};
  CHECK_FALSE(named(findIn(run), "label-disagrees"));
  comparison.gaps.push_back({.position = 2,
                             .before = "b",
                             .after = "c",
                             .normal = 1'700,
                             .held = 1'600,
                             .label = GapCause::LatencyExposed,
                             .labelled = 30,
                             .count = 30,
                             .result = ExperimentResult::Disagrees});
  const auto findings = findIn(run);
  const Finding* found = named(findings, "label-disagrees");
  REQUIRE(found);
  CHECK_THAT(found->sentence, Catch::Matchers::ContainsSubstring("1 of 2 gaps"));
  CHECK_THAT(found->sentence, Catch::Matchers::ContainsSubstring("before kernel 3 (c)"));
  CHECK_THAT(found->sentence, Catch::Matchers::ContainsSubstring("1.700 us as measured became 1.600 us"));
  CHECK_FALSE(named(findings, "prequeued-host-part"));
  run.implementations[0].prequeued->comparison.hostHeld = 20;
  CHECK(named(findIn(run), "prequeued-host-part"));
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

TEST_CASE("passes at different clocks are named, over all implementations") {
  auto slow = makePass(30, 0), fast = makePass(30, 0);
  slow->telemetry.push_back({.at = 1, .smClockMhz = 1755});
  fast->telemetry.push_back({.at = 1, .smClockMhz = 1980});
  const auto findings = findIn(runOf({fast, slow}));
  REQUIRE(named(findings, "clock-difference"));
  CHECK(named(findings, "clock-difference")->pass == 1);
  CHECK_THAT(named(findings, "clock-difference")->sentence,
             Catch::Matchers::ContainsSubstring("1980 MHz in pass 1 (eager), 1755 MHz in pass 2 (eager)"));
  slow->telemetry[0].smClockMhz = 1975;
  CHECK_FALSE(named(findIn(runOf({fast, slow})), "clock-difference"));
  CHECK_FALSE(named(findIn(runOf({makePass(30, 0)})), "clock-difference"));

  Run two;
  two.implementations.push_back({.name = "one"});
  two.implementations.push_back({.name = "other"});
  slow->telemetry[0].smClockMhz = 1755;
  slow->implementation = 1;
  two.passes = {fast, slow};
  summariseRun(two);
  REQUIRE(named(findIn(two), "clock-difference"));
  CHECK(named(findIn(two), "clock-difference")->implementation == 1);
}

TEST_CASE("the evidence is data, and the sentence says it") {
  const auto findings = findIn(runOf({makePass(30, 6'000)}));
  const Finding* found = named(findings, "idle-host-late");
  REQUIRE(found);
  // 30 gaps of 6 us host and 4 us device; latency 10 + 10 + 10 us.
  CHECK(valueOf(*found, "count") == 30);
  CHECK(valueOf(*found, "time") == 10'000);
  CHECK(valueOf(*found, "share") == Catch::Approx(1.0 / 3));
  for (const Finding& finding : findings) CHECK_FALSE(finding.evidence.empty());
}

TEST_CASE("clocks held down by power or heat are said per implementation, with what was read") {
  auto calm = makePass(30, 0), hot = makePass(30, 0);
  calm->telemetry = {{.at = 1, .smClockMhz = 1980, .throttleReasons = kThrottleIdle}};
  hot->telemetry = {{.at = 1, .smClockMhz = 1970, .temperatureC = 70, .throttleReasons = 0},
                    {.at = 2'000'000,
                     .smClockMhz = 1965,
                     .temperatureC = 84,
                     .powerMilliwatt = 699'600,
                     .throttleReasons = 0x4 | 0x20}};
  const auto findings = findIn(runOf({calm, hot}));
  const Finding* found = named(findings, "throttled");
  REQUIRE(found);
  CHECK(found->severity == Finding::Severity::Warning);
  CHECK(found->pass == 1);
  CHECK_THAT(
      found->sentence,
      Catch::Matchers::ContainsSubstring(
          "in 1 of 2 passes, because of: power limit, thermal (software) (SM clock 1965 MHz to 1970 MHz, "
          "up to 84 C, up to 700 W)"));
  hot->telemetry[1].throttleReasons = kThrottleApplicationClocks | kThrottleIdle;
  CHECK_FALSE(named(findIn(runOf({calm, hot})), "throttled"));
  CHECK_FALSE(named(findIn(runOf({makePass(30, 0)})), "throttled"));
}

TEST_CASE("other programs on the device are a warning when they worked, a note when nobody tells") {
  auto pass = makePass(30, 0);
  pass->use = DeviceUse{.processes = {{.pid = 1, .smPercent = 90}, {.pid = 2, .smPercent = 35}}, .ownPid = 1};
  {
    const auto findings = findIn(runOf({pass, makePass(30, 0)}));
    const Finding* found = named(findings, "another-process");
    REQUIRE(found);
    CHECK(found->severity == Finding::Severity::Warning);
    CHECK(found->implementation == -1);
    CHECK(found->pass == 0);
    CHECK(valueOf(*found, "percent") == 35);
    CHECK_THAT(found->sentence, Catch::Matchers::ContainsSubstring("1 of 1 passes"));
  }
  SECTION("seen idle") {
    pass->use->processes[1].smPercent = 0;
    CHECK_FALSE(named(findIn(runOf({pass})), "another-process"));
  }
  SECTION("never sampled") {
    pass->use->processes[1].smPercent.reset();
    const auto findings = findIn(runOf({pass}));
    REQUIRE(named(findings, "another-process"));
    CHECK(named(findings, "another-process")->severity == Finding::Severity::Note);
  }
  SECTION("alone") {
    pass->use->processes.pop_back();
    CHECK_FALSE(named(findIn(runOf({pass})), "another-process"));
  }
  SECTION("under an id that is not ours") {
    pass->use->ownPid.reset();
    const auto findings = findIn(runOf({pass}));
    REQUIRE(named(findings, "another-process"));
    CHECK_THAT(named(findings, "another-process")->sentence,
               Catch::Matchers::ContainsSubstring("one of those that it sees is taken to be this program"));
    pass->use->processes.pop_back();
    CHECK_FALSE(named(findIn(runOf({pass})), "another-process"));
  }
}

TEST_CASE(
    "more than the measured ceiling is questioned by the same rule, and only where the datasheet's is not") {
  Run run = runOf({makePass(30, 0)});
  run.l2 = "clean";
  run.dtype = "bfloat16";
  run.figures = "GPU";
  run.bytes = 100'000;  // in 20 us: 5 GB/s
  run.ceilings = Ceilings{
      "2026-01-31 12:00 UTC", Ceiling{4e9, std::nullopt, "copy"}, Ceiling{1e12, std::nullopt, "gemm"}, {}};
  const auto above = [&run] { return findIn(run); };
  auto findings = above();
  const Finding* memory = named(findings, "above-roofline");
  REQUIRE(memory);
  CHECK(memory->severity == Finding::Severity::Note);  // reads alone can be faster than copies
  CHECK(valueOf(*memory, "times") == Catch::Approx(1.25));
  CHECK_THAT(memory->sentence, Catch::Matchers::ContainsSubstring("1.25 times what copies reached"));
  run.memoryBytesPerSecond = 4.5e9;
  findings = above();
  CHECK(std::count_if(findings.begin(), findings.end(),
                      [](const Finding& f) { return f.rule == "above-roofline"; }) == 1);
  CHECK(named(findings, "above-roofline")->severity == Finding::Severity::Warning);
  run.memoryBytesPerSecond = 0;
  run.ceilings->memory->perSecond = 4.95e9;  // 1 % is noise
  CHECK_FALSE(named(above(), "above-roofline"));
  run.flops = 40'000'000;  // in 20 us: 2e12 per second, and 40 us of operations against 20 us of bytes
  findings = above();
  const Finding* compute = named(findings, "above-roofline");
  REQUIRE(compute);
  CHECK(compute->severity == Finding::Severity::Warning);
  CHECK(valueOf(*compute, "times") == Catch::Approx(2));
  CHECK_THAT(compute->sentence,
             Catch::Matchers::ContainsSubstring("2 times what a large matrix product in bfloat16"));
  run.figures = "host CPU";
  CHECK(named(above(), "above-roofline")->severity == Finding::Severity::Note);
  run.ceilings->differences = {"driver was 1, now 2"};
  CHECK_FALSE(named(above(), "above-roofline"));
}

TEST_CASE("more claimed bytes than the memory can carry are questioned") {
  Run run = runOf({makePass(30, 0)});
  run.l2 = "clean";
  run.bytes = 100'000;  // in 20 us: 5 GB/s
  run.memoryBytesPerSecond = 4e9;
  const auto findings = findIn(run);
  const Finding* found = named(findings, "above-roofline");
  REQUIRE(found);
  CHECK(found->severity == Finding::Severity::Warning);
  CHECK(valueOf(*found, "times") == Catch::Approx(1.25));
  run.l2 = "warm";
  CHECK(named(findIn(run), "above-roofline")->severity == Finding::Severity::Note);
  run.memoryBytesPerSecond = 6e9;
  CHECK_FALSE(named(findIn(run), "above-roofline"));
  run.memoryBytesPerSecond = 0;  // unknown
  CHECK_FALSE(named(findIn(run), "above-roofline"));
}

TEST_CASE("a spread of a tenth and more is said") {
  const auto pass = makePass(30, 0);
  for (std::size_t i = 0; i < 10; ++i) pass->samples[i * 3].busy = 23'000;
  const auto findings = findIn(runOf({pass}));
  const Finding* found = named(findings, "wide-spread");
  REQUIRE(found);
  CHECK(valueOf(*found, "share") == Catch::Approx(0.15));
  CHECK_FALSE(named(findIn(runOf({makePass(30, 0)})), "wide-spread"));
}

TEST_CASE("first iterations that still warm up are told from chance and from drift of one pass") {
  const auto warming = [](Ns extra) {
    const auto pass = makePass(30, 0);
    for (std::size_t i = 0; i < 3; ++i) pass->samples[i].busy += extra * static_cast<Ns>(3 - i);
    return pass;
  };
  {
    const auto findings = findIn(runOf({warming(1'000), warming(500)}));
    const Finding* found = named(findings, "still-warming");
    REQUIRE(found);
    CHECK(found->pass == 0);
    CHECK(found->iteration == 0);
    // 23, 22, 21 us against 20 us.
    CHECK(valueOf(*found, "early") == 22'000);
    CHECK(valueOf(*found, "share") == Catch::Approx(0.1));
    CHECK(valueOf(*found, "warming") == 2);
  }
  SECTION("too little to matter") {
    CHECK_FALSE(named(findIn(runOf({warming(100)})), "still-warming"));
  }
  SECTION("one pass of two") {
    CHECK_FALSE(named(findIn(runOf({warming(1'000), makePass(30, 0)})), "still-warming"));
  }
  SECTION("one pass of three") {
    CHECK_FALSE(named(findIn(runOf({warming(1'000), makePass(30, 0), makePass(30, 0)})), "still-warming"));
  }
  SECTION("one of the three is quick") {
    const auto pass = warming(1'000);
    pass->samples[1].busy = 20'000;
    CHECK_FALSE(named(findIn(runOf({pass})), "still-warming"));
  }
  SECTION("slow ones come later, too") {
    const auto pass = warming(1'000);
    for (std::size_t i = 15; i < 30; i += 4) pass->samples[i].busy = 24'000;
    CHECK_FALSE(named(findIn(runOf({pass})), "still-warming"));
  }
  SECTION("too few to tell") {
    const auto pass = makePass(9, 0);
    for (std::size_t i = 0; i < 3; ++i) pass->samples[i].busy += 5'000;
    CHECK_FALSE(named(findIn(runOf({pass})), "still-warming"));
  }
}

TEST_CASE("the instrument's own share of the gaps is said") {
  const auto pass = makePass(30, 6'000);
  for (Gap& gap : pass->gaps) {
    gap.instrument = 1'000;
    gap.host -= 1'000;
  }
  pass->gaps[7].instrument = 2'000;
  const auto findings = findIn(runOf({pass}));
  const Finding* found = named(findings, "instrument-share");
  REQUIRE(found);
  CHECK(found->gap == 7);
  CHECK(valueOf(*found, "time") == Catch::Approx(31'000.0 / 30));
  for (Gap& gap : pass->gaps) gap.instrument = 400;
  CHECK_FALSE(named(findIn(runOf({pass})), "instrument-share"));
}

TEST_CASE("a changing number of kernels, a wrong result and a second attempt are said") {
  const auto pass = makePass(30, 0);
  pass->samples[3].kernels = 5;
  pass->attempts = 2;
  pass->bufferBytes = 1 << 20;
  Run run = runOf({pass});
  run.implementations[0].verification = {VerificationRecord::State::Failed, 10, 10, 0.01, 0.5, "y[3]"};
  const auto findings = findIn(run);
  REQUIRE(named(findings, "changing-kernel-count"));
  CHECK(valueOf(*named(findings, "changing-kernel-count"), "most") == 5);
  REQUIRE(named(findings, "wrong-result"));
  CHECK_THAT(named(findings, "wrong-result")->sentence,
             Catch::Matchers::ContainsSubstring("worst error 0.5 at y[3], allowed 0.01"));
  CHECK(findings.front().rule == "wrong-result");
  REQUIRE(named(findings, "measured-again"));
  CHECK(valueOf(*named(findings, "measured-again"), "attempts") == 2);
  const auto clean = findIn(runOf({makePass(30, 0)}));
  for (const char* rule : {"changing-kernel-count", "wrong-result", "measured-again", "memops-outside-busy"})
    CHECK_FALSE(named(clean, rule));
}

TEST_CASE("copies in a few calls only are warned about, too") {
  const auto pass = makePass(30, 0);
  pass->samples[4].memops = 2;
  pass->samples[4].memopTime = 6'000;
  const auto findings = findIn(runOf({pass}));
  const Finding* found = named(findings, "memops-outside-busy");
  REQUIRE(found);
  CHECK(valueOf(*found, "with") == 1);
  CHECK(valueOf(*found, "time") == 200);
}

TEST_CASE("an implementation without a number has no findings") {
  Run run = runOf({makePass(10, 6'000)});
  run.implementations[0].failure = ErrorInfo{ErrorCode::NoKernel, "x", "", {}};
  CHECK(findIn(run).empty());
}
