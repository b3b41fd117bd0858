// SPDX-License-Identifier: Apache-2.0
#include "session/earlier.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "session/gated_runs.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Catch::Matchers::WithinRel;

namespace {

using Earlier = std::vector<std::shared_ptr<const Run>>;

Earlier keep(Run run) {
  return {std::make_shared<const Run>(std::move(run))};
}

AgainstEarlier compared(const Run& now, const Run& then, std::optional<double> asked = {}) {
  return compareWithEarlier(now, 0, keep(then), asked);
}

// Why the two cannot be compared, with what to do.
std::string refusalOf(const Run& now, const Run& then) {
  const AgainstEarlier row = compared(now, then);
  REQUIRE(row.refusal);
  CHECK(row.refusal->code == ErrorCode::BadInput);
  CHECK_FALSE(row.refusal->remedy.empty());
  CHECK(row.earlier == nullptr);
  return earlierSentence(now, row);
}

}  // namespace

TEST_CASE("slower, faster and same are by each pass now against each pass then") {
  const Run then = runOfPasses({10'000, 10'100, 10'000, 10'100});
  const AgainstEarlier slower = compared(runOfPasses({11'000, 11'110, 11'000, 11'110}), then);
  CHECK_FALSE(slower.refusal);
  CHECK(slower.verdict == Verdict::Slower);
  // Pooled medians: of 3 x 11000 and 3 x 11110 twice, the middle two are 11000 and 11110; likewise then.
  CHECK_THAT(slower.ratio, WithinRel(11'055.0 / 10'050.0, 1e-12));
  REQUIRE(slower.range);
  CHECK_THAT(slower.range->low, WithinRel(11'000.0 / 10'100.0, 1e-12));
  CHECK_THAT(slower.range->high, WithinRel(11'110.0 / 10'000.0, 1e-12));

  CHECK(compared(runOfPasses({9'000, 9'000, 9'000, 9'090}), then).verdict == Verdict::Faster);
  // 10050 / 10100 = 0.995 and 10050 / 10000 = 1.005: within 1 %.
  CHECK(compared(runOfPasses({10'050, 10'050, 10'050, 10'050}), then).verdict == Verdict::Same);
  // One pass of four reaches 10300 / 10000 = 1.03: neither within nor all beyond.
  CHECK(compared(runOfPasses({10'050, 10'050, 10'050, 10'300}), then).verdict == Verdict::Undecided);
}

TEST_CASE("one pass that is not slower keeps a slower from being said") {
  const Run then = runOfPasses({10'000, 10'000, 10'000, 10'000});
  CHECK(compared(runOfPasses({12'000, 12'000, 12'000, 12'000}), then).verdict == Verdict::Slower);
  CHECK(compared(runOfPasses({12'000, 12'000, 12'000, 10'050}), then).verdict == Verdict::Undecided);
}

TEST_CASE("too few passes on a side give no verdict, and the sentence says so") {
  const Run few = runOfPasses({20'000, 20'000, 20'000});
  const Run many = runOfPasses({10'000, 10'000, 10'000, 10'000});
  for (const auto& [now, then] : {std::pair{few, many}, std::pair{many, few}}) {
    const AgainstEarlier row = compared(now, then);
    CHECK_FALSE(row.refusal);
    CHECK_FALSE(row.range);
    CHECK(row.verdict == Verdict::Undecided);
    CHECK_THAT(earlierSentence(now, row), ContainsSubstring("fewer than 4 passes") &&
                                              ContainsSubstring("--blocks 6") &&
                                              StartsWith("Undecided between one-pass and the baseline: "));
  }
}

TEST_CASE("the threshold is the largest of 1 %, noise floor, timestamps and what was asked for") {
  const Run then = runOfPasses({10'000, 10'000, 10'000, 10'000});
  Run now = runOfPasses({10'400, 10'400, 10'400, 10'400});
  CHECK(compared(now, then).verdict == Verdict::Slower);
  CHECK(compared(now, then, 0.001).threshold == Threshold{0.01, Threshold::Source::Method});
  const AgainstEarlier asked = compared(now, then, 0.05);
  CHECK(asked.verdict == Verdict::Same);
  CHECK(asked.threshold == Threshold{0.05, Threshold::Source::Asked});
  CHECK_THAT(earlierSentence(now, asked), ContainsSubstring("all of it within 5 % (as asked)."));
  now.noiseFloor = NoiseFloor{0.06, "2026-01-31 12:00 UTC", {}};
  CHECK(compared(now, then, 0.05).threshold == Threshold{0.06, Threshold::Source::NoiseFloor});
  now.noiseFloor.reset();
  now.timestampTick = 1'000;  // a tenth of 10 us
  CHECK(compared(now, then).threshold == Threshold{0.1, Threshold::Source::Tick});
}

TEST_CASE("a verdict is one sentence with its evidence") {
  Run then = runOfPasses({10'000, 10'000, 10'000, 10'000});
  then.startedUnixNs = 1'767'225'600 * kSecond;  // 2026-01-01 00:00 UTC
  const Run now = runOfPasses({12'000, 12'000, 12'000, 12'000});
  CHECK(earlierSentence(now, compared(now, then)) ==
        "one-pass is slower than in the baseline: 12.00 us against 10.00 us (2026-01-01 00:00 UTC), ratio "
        "1.2000, each pass now against each pass then 1.2000 to 1.2000, all of it beyond 1 %.");
}

TEST_CASE("other kernels are said before the verdict, other drivers behind it") {
  const Run then = runOfPasses({10'000, 10'000, 10'000, 10'000}, "norm_v1");
  Run now = runOfPasses({12'000, 12'000, 12'000, 12'000}, "norm_v2");
  now.environment["driver"] = "580.2";
  const AgainstEarlier row = compared(now, then);
  CHECK(row.kernelsOnlyThen == std::vector<std::string>{"norm_v1"});
  CHECK(row.kernelsOnlyNow == std::vector<std::string>{"norm_v2"});
  CHECK(row.verdict == Verdict::Slower);
  CHECK_THAT(earlierSentence(now, row),
             StartsWith("one-pass ran other kernels than in the baseline (only then: norm_v1; only now: "
                        "norm_v2): the times are not of one thing. one-pass is slower") &&
                 ContainsSubstring("Also: driver was 575.1, now 580.2"));
}

TEST_CASE("a baseline without the row is refused") {
  const Run now = runOfPasses({10'000, 10'000, 10'000, 10'000});
  Run then = now;
  then.implementations[0].name = "eager";
  CHECK_THAT(refusalOf(now, then),
             StartsWith("The baseline has no number of rms_norm llama bfloat16 by one-pass"));
  const auto changed = [&now](auto change) {
    Run other = now;
    change(other);
    return other;
  };
  for (const Run& other :
       {changed([](Run& r) { r.op = "add"; }), changed([](Run& r) { r.workload = "tiny"; }),
        changed([](Run& r) { r.dtype = "float32"; }), changed([](Run& r) { r.dims["M"] = 7; }),
        changed([](Run& r) {
          r.implementations[0].failure = ErrorInfo{ErrorCode::WrongResult, "wrong", "", {}};
        })})
    CHECK_THAT(refusalOf(now, other), StartsWith("The baseline has no number of "));
  CHECK(compareWithEarlier(now, 0, {}).refusal);
}

TEST_CASE("another device, method, L2 or clock is refused, and named") {
  const Run now = runOfPasses({10'000, 10'000, 10'000, 10'000});
  Run then = now;
  then.environment["device uuid"] = "GPU-other";
  CHECK_THAT(refusalOf(now, then), ContainsSubstring("another device, NVIDIA H200 (GPU-other), and this on "
                                                     "NVIDIA H200 (GPU-1234)"));
  then = now;
  then.figures = "simulated";
  CHECK_THAT(refusalOf(now, then), ContainsSubstring("another device"));
  then = now;
  then.method = "host-records";
  CHECK_THAT(refusalOf(now, then), ContainsSubstring("its method was host-records, now cupti"));
  then = now;
  then.l2 = "warm";
  CHECK_THAT(refusalOf(now, then), ContainsSubstring("L2 was warm before each call, now clean"));
  then = now;
  then.environment["locked clocks"] = "1500 MHz";
  CHECK_THAT(refusalOf(now, then),
             ContainsSubstring("other clocks: locked clocks was 1500 MHz, now unknown"));
  then = runOfPasses({10'000, 10'000, 10'000, 10'000}, "norm", 1'755);
  CHECK_THAT(refusalOf(now, then),
             ContainsSubstring("other clocks: the SM clock during its passes was 1755 MHz, now 1980 MHz"));
  then = runOfPasses({10'000, 10'000, 10'000, 10'000}, "norm", 1'965);  // 0.8 %
  CHECK_FALSE(compared(now, then).refusal);
}

TEST_CASE("a run that was cut short is a baseline only where there is no other, and it is said") {
  const Run now = runOfPasses({10'000, 10'000, 10'000, 10'000});
  Run begun = runOfPasses({5'000});
  begun.cancelled = true;
  Earlier earlier = keep(runOfPasses({10'000, 10'000, 10'000, 10'000}));
  earlier.push_back(std::make_shared<const Run>(begun));
  const AgainstEarlier whole = compareWithEarlier(now, 0, earlier);
  CHECK(whole.earlier == earlier[0]);
  CHECK(whole.differences.empty());
  earlier.erase(earlier.begin());
  const AgainstEarlier part = compareWithEarlier(now, 0, earlier);
  CHECK(part.earlier == earlier[0]);
  CHECK(part.verdict == Verdict::Undecided);  // of one pass
  CHECK_THAT(earlierSentence(now, part), ContainsSubstring("the measurement of the baseline was cut short"));
  CHECK_THAT(earlierSentence(begun, compareWithEarlier(begun, 0, keep(now))),
             ContainsSubstring("this measurement was cut short"));
}

TEST_CASE("a clock that nobody read is said") {
  const Run now = runOfPasses({10'000, 10'000, 10'000, 10'000});
  const Run then = runOfPasses({10'000, 10'000, 10'000, 10'000}, "norm", std::nullopt);
  const AgainstEarlier row = compared(now, then);
  CHECK_FALSE(row.refusal);
  CHECK_THAT(earlierSentence(now, row), ContainsSubstring("another clock would not be noticed"));
}

TEST_CASE("a machine is told by its processor and how many there are") {
  const auto hostRun = [](const std::string& name, const std::string& threads) {
    Run run = runOfPasses({10'000, 10'000, 10'000, 10'000}, "norm", std::nullopt);
    run.figures = "host CPU";
    run.deviceId = "host";
    run.deviceName = name;
    run.environment = {{"cpu threads", threads}};
    return run;
  };
  CHECK_FALSE(compared(hostRun("EPYC", "8"), hostRun("EPYC", "8")).refusal);
  CHECK(compared(hostRun("EPYC", "8"), hostRun("EPYC", "16")).refusal);
  CHECK(compared(hostRun("EPYC", "8"), hostRun("Xeon", "8")).refusal);
}

TEST_CASE("of several rows the latest that fits is the baseline; if none fits, the latest says why") {
  const Run now = runOfPasses({10'000, 10'000, 10'000, 10'000});
  Earlier earlier = keep(runOfPasses({20'000, 20'000, 20'000, 20'000}));
  earlier.push_back(std::make_shared<const Run>(runOfPasses({10'000, 10'000, 10'000, 10'000})));
  Run warm = runOfPasses({5'000, 5'000, 5'000, 5'000});
  warm.l2 = "warm";
  earlier.push_back(std::make_shared<const Run>(warm));
  const AgainstEarlier row = compareWithEarlier(now, 0, earlier);
  CHECK(row.earlier == earlier[1]);
  CHECK(row.verdict == Verdict::Same);
  Run zero = now;
  zero.l2 = "zero";
  CHECK_THAT(compareWithEarlier(zero, 0, earlier).refusal->message, ContainsSubstring("L2 was warm"));
}

TEST_CASE("an implementation without a number now has nothing to compare") {
  Run now = runOfPasses({10'000, 10'000, 10'000, 10'000});
  const Run then = now;
  now.implementations[0].failure = ErrorInfo{ErrorCode::WrongResult, "wrong", "", {}};
  summariseRun(now);
  CHECK(compared(now, then).refusal);
}
