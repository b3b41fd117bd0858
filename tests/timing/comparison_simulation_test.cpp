// SPDX-License-Identifier: Apache-2.0
//
// What a comparison makes of drift and noise: simulated times, and every line from the order of the passes to
// the verdict that real runs go through.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <random>

#include "scripted_setup.h"
#include "session/run.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::WithinAbs;

namespace {

constexpr Ns kStart = kSecond;  // when a scripted device's life begins

// Tells the script whose call comes.
class NamedCall : public Call {
 public:
  NamedCall(Call& inner, std::uint32_t who, std::uint32_t& current)
      : inner_(inner), who_(who), current_(current) {}
  void issue() override {
    current_ = who_;
    inner_.issue();
  }

 private:
  Call& inner_;
  std::uint32_t who_;
  std::uint32_t& current_;
};

// Implementations of one kernel each, on a device whose speed is `logTime`: what the logarithm of every time
// gains, by the simulated time and the number of the pass.
class Simulated {
 public:
  using LogTime = std::function<double(Ns now, std::uint32_t pass)>;

  Simulated(std::vector<Ns> lengths, Ns startAfter, LogTime logTime)
      : lengths_(std::move(lengths)),
        logTime_(std::move(logTime)),
        stage_({.kernels = [this, startAfter](std::uint64_t) -> std::vector<scripted::ScriptedKernel> {
                  return {{.startAfter = startAfter, .length = lengths_[current_]}};
                },
                .speed = [this](Ns now) { return std::exp(logTime_(now, pass_)); }},
               lengths_.size()) {
    stage_.listener.whenProgress = [this](const Progress& p) { pass_ = p.pass == 0 ? 0 : p.pass - 1; };
    for (std::uint32_t c = 0; c < lengths_.size(); ++c) {
      calls_.push_back(std::make_unique<NamedCall>(*stage_.contestants[c].call, c, current_));
      stage_.contestants[c].call = calls_.back().get();
    }
  }

  Run compare(std::uint32_t blocks, std::uint32_t iterationsPerPass) {
    Protocol protocol;
    protocol.blocks = blocks;
    protocol.iterations = 2 * iterationsPerPass;
    protocol.minIterations = 2;
    protocol.warmupBudget = 0;
    protocol.settleIterations = 1;
    protocol.settleLimit = 0;
    stage_.listener.passes.clear();
    opscope::compare(*stage_.device, stage_.contestants, protocol, stage_.listener, {}, stage_.listener);
    Run run;
    run.blocks = blocks;
    for (const Contestant& contestant : stage_.contestants)
      run.implementations.push_back({.name = contestant.name});
    for (Pass& pass : stage_.listener.passes)
      run.passes.push_back(std::make_shared<const Pass>(std::move(pass)));
    summariseRun(run);
    return run;
  }

  double trueLog(std::uint32_t implementation) const {
    return std::log(static_cast<double>(lengths_[implementation]) / static_cast<double>(lengths_[0]));
  }

 private:
  std::vector<Ns> lengths_;
  LogTime logTime_;
  std::uint32_t current_ = 0;
  std::uint32_t pass_ = 0;
  Stage stage_;
  std::vector<std::unique_ptr<NamedCall>> calls_;
};

double errorOf(const Run& run, const Simulated& simulated, std::uint32_t implementation) {
  REQUIRE(run.comparison);
  const AgainstBaseline* row = run.comparison->rowOf(implementation);
  REQUIRE(row != nullptr);
  REQUIRE(row->ratio);
  return std::log(*row->ratio) - simulated.trueLog(implementation);
}

double medianOf(const Pass& pass) {
  std::vector<Ns> busy;
  for (const Sample& sample : pass.samples) busy.push_back(sample.busy);
  return summarise(busy).median;
}

}  // namespace

TEST_CASE("a log-linear drift of 3 % cancels below 0.001 % in one block") {
  // The device is idle for 99 ms of every 100: slower kernels do not stretch the time in which they drift.
  constexpr Ns kAll = 36 * 100 * kMillisecond;
  Simulated simulated({1'000'000, 1'300'000, 800'000}, 99 * kMillisecond, [](Ns now, std::uint32_t) {
    return 0.03 * static_cast<double>(now - kStart) / static_cast<double>(kAll);
  });
  const Run run = simulated.compare(1, 4);
  REQUIRE(run.passes.size() == 6);
  // It did drift: four fifths of it lie between the middles of the first and the last pass.
  CHECK(medianOf(*run.passes[5]) / medianOf(*run.passes[0]) > 1.02);
  CHECK_THAT(errorOf(run, simulated, 1), WithinAbs(0, 1e-5));
  CHECK_THAT(errorOf(run, simulated, 2), WithinAbs(0, 1e-5));
  // A fixed order would have charged it to whoever came later, and the drift is known.
  CHECK(std::log(*run.comparison->rowOf(2)->fixedOrder) - simulated.trueLog(2) > 0.008);
  REQUIRE(run.comparison->drift);
  const DriftEstimate& drift = *run.comparison->drift;
  CHECK_THAT(drift.perStep,
             WithinAbs(0.03 * static_cast<double>(drift.step) / static_cast<double>(kAll), 1e-5));
  CHECK(run.comparison->rowOf(1)->reason == VerdictReason::OneBlock);
}

TEST_CASE("quadratic drift stays below 0.05 % with six rotated blocks of three") {
  // 36 passes of 7 calls of about a millisecond.
  constexpr double kAll = 36.0 * 7 * 1.07e6;
  Simulated simulated({1'000'000, 1'300'000, 800'000}, 5'000, [](Ns now, std::uint32_t) {
    const double t = static_cast<double>(now - kStart) / kAll;
    return 0.03 * t * t;
  });
  const Run run = simulated.compare(6, 5);
  REQUIRE(run.passes.size() == 36);
  const Pass& last = *run.passes.back();
  const double first = medianOf(*run.passesOf(last.implementation).front());
  CHECK(medianOf(last) / first > 1.025);
  CHECK_THAT(errorOf(run, simulated, 1), WithinAbs(0, 5e-4));
  CHECK_THAT(errorOf(run, simulated, 2), WithinAbs(0, 5e-4));
}

TEST_CASE("a step of size d leaves at most d / 2N, wherever it falls") {
  constexpr double kStep = 0.05;
  constexpr std::uint32_t kBlocks = 6;
  constexpr double kRounding = 2e-6;
  std::uint32_t at = 0;
  Simulated simulated({1'000'000, 1'300'000, 800'000}, 5'000,
                      [&at](Ns, std::uint32_t pass) { return pass >= at ? kStep : 0; });
  double worst = 0;
  for (at = 1; at < 6 * kBlocks; ++at) {
    const Run run = simulated.compare(kBlocks, 1);
    for (const std::uint32_t implementation : {1U, 2U})
      worst = std::max(worst, std::fabs(errorOf(run, simulated, implementation)));
  }
  CHECK(worst <= kStep / (2 * kBlocks) + kRounding);
  CHECK(worst >= kStep / (2 * kBlocks) - kRounding);  // the bound is reached, so it is the right one
}

namespace {

constexpr int kComparisons = 2'000;

struct Outcome {
  int coveredB = 0;
  int coveredC = 0;
  int decidedC = 0;  // C is A under another name: "faster" and "slower" are both wrong
};

Outcome simulate(Simulated& simulated, const std::function<void()>& beforeEach) {
  Outcome outcome;
  const auto covers = [&](const Run& run, std::uint32_t implementation) {
    const AgainstBaseline& row = *run.comparison->rowOf(implementation);
    REQUIRE(row.interval);
    const double truth = std::exp(simulated.trueLog(implementation));
    return row.interval->low <= truth && truth <= row.interval->high;
  };
  for (int i = 0; i < kComparisons; ++i) {
    beforeEach();
    const Run run = simulated.compare(6, 1);
    outcome.coveredB += covers(run, 1) ? 1 : 0;
    outcome.coveredC += covers(run, 2) ? 1 : 0;
    const Verdict verdict = run.comparison->rowOf(2)->verdict;
    outcome.decidedC += verdict == Verdict::Faster || verdict == Verdict::Slower ? 1 : 0;
  }
  return outcome;
}

void checkOutcome(const Outcome& outcome) {
  for (const int covered : {outcome.coveredB, outcome.coveredC}) {
    CHECK(covered >= 0.93 * kComparisons);
    CHECK(covered <= 0.97 * kComparisons);
  }
  CHECK(outcome.decidedC <= 0.05 * kComparisons);
}

// Large against the threshold of 1 %, so that the interval alone keeps A/A from a verdict.
constexpr double kNoise = 0.05;

}  // namespace

TEST_CASE("under white noise 95 % intervals cover 93 to 97 %, and A/A is decided in at most 5 %") {
  std::mt19937_64 random(20'260'101);
  std::normal_distribution<double> noise(0, kNoise);
  Simulated simulated({1'000'000, 1'050'000, 1'000'000}, 5'000,
                      [&](Ns, std::uint32_t) { return noise(random); });
  const Outcome outcome = simulate(simulated, [] {});
  INFO("covered " << outcome.coveredB << " and " << outcome.coveredC << ", decided " << outcome.decidedC
                  << " of " << kComparisons);
  checkOutcome(outcome);
}

TEST_CASE("under random-walk noise 95 % intervals cover 93 to 97 %, and A/A is decided in at most 5 %") {
  std::mt19937_64 random(20'260'102);
  std::normal_distribution<double> noise(0, kNoise);
  std::vector<double> walk;
  Simulated simulated({1'000'000, 1'050'000, 1'000'000}, 5'000, [&](Ns, std::uint32_t pass) {
    while (walk.size() <= pass) walk.push_back((walk.empty() ? 0 : walk.back()) + noise(random));
    return walk[pass];
  });
  const Outcome outcome = simulate(simulated, [&] { walk.clear(); });
  INFO("covered " << outcome.coveredB << " and " << outcome.coveredC << ", decided " << outcome.decidedC
                  << " of " << kComparisons);
  checkOutcome(outcome);
}
