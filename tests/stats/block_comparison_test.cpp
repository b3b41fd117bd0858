// SPDX-License-Identifier: Apache-2.0
#include "stats/block_comparison.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <vector>

#include "base/error.h"

using namespace opscope;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

// Passes in an order of letters, 100 ms apart, with the medians given.
class Passes {
 public:
  explicit Passes(std::uint32_t implementations) : pooled_(implementations, 1'000.0) {}

  Passes& block(const std::string& order, const std::vector<double>& medians) {
    REQUIRE(order.size() == medians.size());
    for (std::uint32_t p = 0; p < order.size(); ++p) {
      const Ns mid = (static_cast<Ns>(blocks_ * order.size()) + p) * 100 * kMillisecond;
      readings_.push_back({static_cast<std::uint32_t>(order[p] - 'A'), blocks_, p, medians[p], 10, mid});
    }
    ++blocks_;
    return *this;
  }
  Passes& pooled(std::vector<double> medians) {
    pooled_ = std::move(medians);
    return *this;
  }
  BlockComparison compare(std::uint32_t baseline = 0, std::optional<double> floor = {}, Ns tick = 1) const {
    return compareInBlocks({readings_, pooled_, baseline, tick, floor});
  }

  std::vector<PassReading> readings_;

 private:
  std::vector<double> pooled_;
  std::uint32_t blocks_ = 0;
};

// A against B with the block ratios B / A given.
Passes withRatios(const std::vector<double>& ratios) {
  Passes passes(2);
  for (const double ratio : ratios) passes.block("ABBA", {1'000, 1'000 * ratio, 1'000 * ratio, 1'000});
  return passes;
}

AgainstBaseline rowOf(const BlockComparison& comparison, std::uint32_t implementation = 1) {
  REQUIRE(comparison.rowOf(implementation) != nullptr);
  return *comparison.rowOf(implementation);
}

}  // namespace

TEST_CASE("inside a block the two passes are averaged in logs, over blocks the logs are averaged") {
  // Block 0: A sqrt(100 * 400) = 200, B sqrt(200 * 800) = 400, ratio 2. Block 1: A 100, B 800, ratio 8.
  const Passes passes =
      Passes(2).block("ABBA", {100, 200, 800, 400}).block("BAAB", {800, 100, 100, 800}).pooled({100, 800});
  const AgainstBaseline row = rowOf(passes.compare());
  REQUIRE(row.ratio);
  CHECK_THAT(*row.ratio, WithinRel(4.0, 1e-12));
  REQUIRE(row.blocks.size() == 2);
  CHECK_THAT(row.blocks[0].ratio, WithinRel(2.0, 1e-12));
  CHECK_THAT(row.blocks[1].ratio, WithinRel(8.0, 1e-12));
  CHECK(row.pooled == 8);
  CHECK_FALSE(row.interval);
  CHECK(row.reason == VerdictReason::FewBlocks);
}

TEST_CASE("what a fixed order would have claimed is the first pass of each in block 0") {
  const Passes passes =
      Passes(3).block("ABCCBA", {100, 110, 120, 240, 220, 200}).block("BCAACB", {1, 1, 1, 1, 1, 1});
  const BlockComparison comparison = passes.compare();
  CHECK_THAT(*rowOf(comparison, 1).fixedOrder, WithinRel(1.1, 1e-12));
  CHECK_THAT(*rowOf(comparison, 2).fixedOrder, WithinRel(1.2, 1e-12));
}

TEST_CASE(
    "the interval is the mean of the blocks' logs, give or take t of N - 1 times their standard error") {
  // Logs -0.01, 0, 0.01, 0.02: mean 0.005, variance 5e-4 / 3, standard error sqrt(5e-4 / 12), t(3)
  // = 3.1824463.
  const AgainstBaseline row =
      rowOf(withRatios({std::exp(-0.01), 1, std::exp(0.01), std::exp(0.02)}).compare());
  const double half = 3.182446305 * std::sqrt(5e-4 / 12);
  REQUIRE(row.interval);
  CHECK_THAT(std::log(row.interval->low), WithinAbs(0.005 - half, 1e-9));
  CHECK_THAT(std::log(row.interval->high), WithinAbs(0.005 + half, 1e-9));
  CHECK_THAT(std::log(*row.ratio), WithinAbs(0.005, 1e-12));
}

TEST_CASE("below four blocks there is no interval, and the reason says why") {
  CHECK(rowOf(withRatios({1.5}).compare()).reason == VerdictReason::OneBlock);
  CHECK(rowOf(withRatios({1.5, 1.5}).compare()).reason == VerdictReason::FewBlocks);
  const AgainstBaseline three = rowOf(withRatios({1.5, 1.5, 1.5}).compare());
  CHECK(three.reason == VerdictReason::FewBlocks);
  CHECK(three.verdict == Verdict::Undecided);
  CHECK_FALSE(three.interval);
  CHECK(rowOf(withRatios({1.5, 1.5, 1.5, 1.5}).compare()).verdict == Verdict::Slower);
}

TEST_CASE("the verdict needs the whole interval on one side of the threshold") {
  const auto judged = [](double middle, double spread) {
    return rowOf(withRatios({middle - spread, middle + spread, middle - spread, middle + spread}).compare());
  };
  // t(3) / sqrt(4) = 1.59 and the deviation of four values at +-s is 1.155 s: the interval is +-1.84 s.
  CHECK(judged(1.02, 0.003).verdict == Verdict::Slower);
  CHECK(judged(0.98, 0.003).verdict == Verdict::Faster);
  CHECK(judged(0.98, 0.003).reason == VerdictReason::BeyondThreshold);
  CHECK(judged(1.002, 0.003).verdict == Verdict::Same);
  CHECK(judged(1.002, 0.003).reason == VerdictReason::WithinThreshold);
  CHECK(judged(1.02, 0.01).verdict == Verdict::Undecided);
  CHECK(judged(1.02, 0.01).reason == VerdictReason::CrossesThreshold);
  CHECK(judged(1.0, 0.01).reason ==
        VerdictReason::CrossesThreshold);            // wider than the threshold on both sides
  CHECK(judged(1.005, 0).verdict == Verdict::Same);  // surely 0.5 % slower, and it does not count
}

TEST_CASE("A against B is decided as B against A") {
  for (const double ratio : {1.0099, 1.0101, 0.9902, 0.9900, 0.5, 2.0}) {
    const Passes passes = withRatios({ratio, ratio, ratio, ratio});
    const AgainstBaseline there = rowOf(passes.compare(0), 1);
    const AgainstBaseline back = rowOf(passes.compare(1), 0);
    INFO(ratio);
    CHECK_THAT(*there.ratio * *back.ratio, WithinRel(1.0, 1e-12));
    CHECK((there.verdict == Verdict::Slower) == (back.verdict == Verdict::Faster));
    CHECK((there.verdict == Verdict::Same) == (back.verdict == Verdict::Same));
  }
}

TEST_CASE("the threshold is the largest of 1 %, the noise floor and tick over median") {
  CHECK(thresholdFor({}, 1, 1'000) == Threshold{});
  CHECK(thresholdFor(0.005, 1, 1'000) == Threshold{});
  CHECK(thresholdFor(0.02, 1, 1'000) == Threshold{0.02, Threshold::Source::NoiseFloor});
  CHECK(thresholdFor(0.02, 32, 2'000) == Threshold{0.02, Threshold::Source::NoiseFloor});  // 1.6 %
  CHECK(thresholdFor(0.015, 32, 2'000) == Threshold{0.016, Threshold::Source::Tick});
  CHECK(thresholdFor({}, 32, 0) == Threshold{});
}

TEST_CASE("the threshold in use is the device's, and the tick counts against the shorter median") {
  const Passes passes = withRatios({1.03, 1.03, 1.03, 1.03});
  CHECK(rowOf(passes.compare(0, 0.05)).verdict == Verdict::Same);
  CHECK(rowOf(passes.compare(0, 0.02)).verdict == Verdict::Slower);
  const AgainstBaseline row = rowOf(Passes(passes).pooled({2'000, 1'000}).compare(0, {}, 40));
  CHECK(row.threshold == Threshold{0.04, Threshold::Source::Tick});
  CHECK(row.verdict == Verdict::Same);
}

TEST_CASE("drift per step of three implementations is (5 dA + 3 dB + dC) / 35") {
  // Differences of the logs: A 0.07, B 0.02, C 0.01.
  const Passes passes = Passes(3).block("ABCCBA", {1'000, 2'000, 3'000, 3'000 * std::exp(0.01),
                                                   2'000 * std::exp(0.02), 1'000 * std::exp(0.07)});
  const auto drift = passes.compare().drift;
  REQUIRE(drift);
  CHECK_THAT(drift->perStep, WithinAbs((5 * 0.07 + 3 * 0.02 + 0.01) / 35, 1e-12));
  CHECK(drift->step == 100 * kMillisecond);
  CHECK(drift->pairs == 3);
}

TEST_CASE("drift per step of two implementations is (3 dA + dB) / 10") {
  const Passes passes =
      Passes(2).block("ABBA", {1'000, 2'000, 2'000 * std::exp(-0.02), 1'000 * std::exp(0.05)});
  CHECK_THAT(passes.compare().drift->perStep, WithinAbs((3 * 0.05 - 0.02) / 10, 1e-12));
}

TEST_CASE("drift follows the passes' times, not their numbers") {
  // Logs grow by 0.01 per 100 ms; the second B stands 250 ms after the first.
  Passes passes(2);
  passes.block("ABBA", {1'000, 1'000 * std::exp(0.01), 1'000 * std::exp(0.035), 1'000 * std::exp(0.045)});
  passes.readings_[2].mid = 350 * kMillisecond;
  passes.readings_[3].mid = 450 * kMillisecond;
  const auto drift = passes.compare().drift;
  // The spans are 450 ms over three steps and 250 ms over one: 175 ms a step.
  CHECK(drift->step == 175 * kMillisecond);
  CHECK_THAT(drift->perStep, WithinAbs(0.0175, 1e-12));
}

TEST_CASE("passes without times, or without a mirror image, say nothing of drift") {
  Passes passes = withRatios({1.0});
  for (PassReading& reading : passes.readings_) reading.mid = 0;
  CHECK_FALSE(passes.compare().drift);
  CHECK_FALSE(Passes(2).block("AB", {1'000, 1'000}).compare().drift);
}

TEST_CASE("a block counts only where both have both passes") {
  Passes passes = withRatios({1.1, 1.1, 1.1, 1.1, 1.1});
  std::erase_if(passes.readings_, [](const PassReading& r) { return r.block == 4 && r.position == 2; });
  std::erase_if(passes.readings_, [](const PassReading& r) { return r.block == 1 && r.implementation == 0; });
  const AgainstBaseline row = rowOf(passes.compare());
  REQUIRE(row.blocks.size() == 3);
  CHECK(row.blocks[0].block == 0);
  CHECK(row.blocks[1].block == 2);
  CHECK(row.blocks[2].block == 3);
  CHECK(row.reason == VerdictReason::FewBlocks);
}

TEST_CASE("a comparison that was stopped before its mirror has no ratio but the pooled one") {
  const AgainstBaseline row = rowOf(Passes(2).block("AB", {1'000, 1'500}).pooled({1'000, 1'500}).compare());
  CHECK_FALSE(row.ratio);
  CHECK(row.pooled == 1.5);
  CHECK(row.fixedOrder == 1.5);
  CHECK(row.reason == VerdictReason::NoCompleteBlock);
}

TEST_CASE("an implementation without a number takes no part, the others still do") {
  const BlockComparison comparison =
      Passes(3).block("BCCB", {1'000, 1'200, 1'200, 1'000}).pooled({0, 1'000, 1'200}).compare(1);
  CHECK(comparison.rowOf(0) == nullptr);
  CHECK_THAT(*rowOf(comparison, 2).ratio, WithinRel(1.2, 1e-12));
  CHECK(comparison.spreads.size() == 2);
  CHECK(comparison.drift->perStep == 0);
}

TEST_CASE("a baseline without a number is a fault of whoever asks") {
  CHECK_THROWS_AS(Passes(2).pooled({0, 1}).compare(0), InternalError);
  CHECK_THROWS_AS(Passes(2).compare(2), InternalError);
}

TEST_CASE("passes that lie further apart than the spread inside one are noticed") {
  // Every pass has an IQR of 10.
  const BlockComparison comparison = Passes(2).block("ABBA", {1'000, 1'000, 1'011, 1'010}).compare();
  REQUIRE(comparison.spreads.size() == 2);
  CHECK_FALSE(comparison.spreads[0].beyondIqr());
  CHECK(comparison.spreads[1].beyondIqr());
  CHECK(comparison.spreads[1].lowest == 1'000);
  CHECK(comparison.spreads[1].highest == 1'011);
  // One step of the clock is no difference, however little the iterations of a pass differ.
  CHECK_FALSE(
      Passes(2).block("ABBA", {1'000, 1'000, 1'011, 1'010}).compare(0, {}, 32).spreads[1].beyondIqr());
}

TEST_CASE("as many blocks as implementations, six at least, in whole rounds") {
  CHECK(suggestedBlocks(1) == 6);
  CHECK(suggestedBlocks(2) == 6);
  CHECK(suggestedBlocks(3) == 6);
  CHECK(suggestedBlocks(4) == 8);
  CHECK(suggestedBlocks(5) == 10);
  CHECK(suggestedBlocks(7) == 7);
}

TEST_CASE("names travel through files and back") {
  for (const Verdict v : {Verdict::Undecided, Verdict::Faster, Verdict::Slower, Verdict::Same})
    CHECK(verdictFromName(nameOf(v)) == v);
  for (int i = 0; i <= static_cast<int>(VerdictReason::NoCompleteBlock); ++i)
    CHECK(verdictReasonFromName(nameOf(static_cast<VerdictReason>(i))) == static_cast<VerdictReason>(i));
  for (const auto s : {Threshold::Source::Method, Threshold::Source::NoiseFloor, Threshold::Source::Tick,
                       Threshold::Source::Asked})
    CHECK(thresholdSourceFromName(nameOf(s)) == s);
  CHECK(verdictFromName("quicker") == Verdict::Undecided);
}
