// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>

#include "ops/catalogue.h"
#include "ops/prepared.h"
#include "small_op.h"

using namespace opscope;
using opscope::testing::broken;
using opscope::testing::smallOpFile;

namespace {

std::vector<double> valuesOf(const HostTensor& tensor) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    values.push_back(
        loadElement(tensor.dtype, tensor.bytes.data() + static_cast<std::size_t>(i) * bytesOf(tensor.dtype)));
  return values;
}

HostTensor drawn(const std::string& distribution, std::int64_t m, std::int64_t n, std::uint64_t seed,
                 DType dtype = DType::Float32) {
  static std::vector<std::unique_ptr<OpSpec>> kept;  // a tensor points to its spec
  kept.push_back(
      std::make_unique<OpSpec>(parseOps(broken("normal(0, 1)", distribution), smallOpFile()).at(0)));
  return makeInputs(makeProblem(*kept.back(), "", dtype, {{"M", m}, {"N", n}}, seed)).at("x");
}

std::uint32_t bitsOf(const HostTensor& tensor, std::size_t index) {
  std::uint32_t bits = 0;
  std::copy_n(tensor.bytes.data() + index * 4, 4, reinterpret_cast<std::byte*>(&bits));
  return bits;
}

}  // namespace

TEST_CASE("the same seed gives the same inputs, another seed others", "[ops]") {
  CHECK(drawn("normal(0, 1)", 7, 9, 5).bytes == drawn("normal(0, 1)", 7, 9, 5).bytes);
  CHECK(drawn("normal(0, 1)", 7, 9, 5).bytes != drawn("normal(0, 1)", 7, 9, 6).bytes);
}

TEST_CASE("indices stay below a bound that depends on the workload", "[ops]") {
  const HostTensor ids = drawn("integers(0, M)", 5, 400, 3);
  const std::vector<double> values = valuesOf(ids);
  const std::set<double> distinct(values.begin(), values.end());
  CHECK(distinct == std::set<double>{0, 1, 2, 3, 4});
  // A single row can only be index 0, and then all are.
  for (const double value : valuesOf(drawn("integers(0, M)", 1, 40, 3))) CHECK(value == 0);
}

TEST_CASE("a partition's ends rise from 0 to the number of items, and no part is empty if they suffice",
          "[ops]") {
  const auto ends = [](std::int64_t items, std::int64_t parts, int draws, std::uint64_t seed) {
    std::string text =
        broken("distribution: \"normal(0, 1)\"", "dtype: int64, distribution: \"partition(M, lots)\"");
    text.replace(text.find("x: {shape: [M, N]"), 17, "x: {shape: [N + 1]");
    for (std::size_t at = text.find("M: "); at != std::string::npos; at = text.find("M: ", at + 10))
      text.insert(at, "lots: 1, ");
    text.replace(text.find("reference: twice"), 16, "reference: same");
    const OpSpec op = parseOps(text, smallOpFile()).at(0);
    return valuesOf(
        makeInputs(makeProblem(op, "", DType::Float32, {{"M", items}, {"N", parts}, {"lots", draws}}, seed))
            .at("x"));
  };
  for (const int draws : {1, 4}) {
    const std::vector<double> many = ends(1000, 10, draws, 1);
    REQUIRE(many.size() == 11);
    CHECK(many.front() == 0);
    CHECK(many.back() == 1000);
    for (std::size_t i = 1; i < many.size(); ++i) CHECK(many[i] > many[i - 1]);
    CHECK(many == ends(1000, 10, draws, 1));
    CHECK(many != ends(1000, 10, draws, 2));
  }
  // The lowest of four lots is the first of ten parts with a chance of 1 - 0.9^4 = 34 %, of one lot with 10
  // %: of 990 items 340 +- 15 and 99 +- 9.4.
  CHECK(std::abs(ends(1000, 10, 4, 1)[1] - 341) < 75);
  CHECK(std::abs(ends(1000, 10, 1, 1)[1] - 100) < 47);
  // Two of three parts get one of two items: the first and, floor(3 / 2), the second.
  CHECK(ends(2, 3, 1, 1) == std::vector<double>{0, 1, 2, 2});
  CHECK(ends(3, 3, 2, 1) == std::vector<double>{0, 1, 2, 3});
  CHECK_THROWS_AS(ends(3, 3, 0, 1), BadInput);
  CHECK_THROWS_AS(ends(0, 3, 1, 1), BadInput);
}

TEST_CASE("a permutation has every number once", "[ops]") {
  std::string text = broken("distribution: \"normal(0, 1)\"", "dtype: int32, distribution: permutation");
  text.replace(text.find("reference: twice"), 16, "reference: same");
  const OpSpec op = parseOps(text, smallOpFile()).at(0);
  const auto make = [&](std::uint64_t seed) {
    return valuesOf(makeInputs(makeProblem(op, "", DType::Float32, {{"M", 7}, {"N", 100}}, seed)).at("x"));
  };
  std::vector<double> values = make(1);
  CHECK(values != make(2));
  CHECK(values == make(1));
  CHECK_FALSE(std::is_sorted(values.begin(), values.end()));
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == static_cast<double>(i));
  CHECK_THROWS_AS(drawn("permutation", 3, 3, 1), BadInput);  // not in floats
}

TEST_CASE("8-bit inputs are drawn too", "[ops]") {
  std::string text = broken("x: {shape: [M, N]", "x: {dtype: int8, shape: [M, N]");
  text.replace(text.find("normal(0, 1)"), 12, "integers(-8, 8)");
  const OpSpec ints = parseOps(text, smallOpFile()).at(0);
  const auto drawnFrom = [](const OpSpec& op) {
    return makeInputs(makeProblem(op, "", DType::Float32, {{"M", 4}, {"N", 500}}, 1)).at("x");
  };
  const std::vector<double> values = valuesOf(drawnFrom(ints));
  CHECK(*std::min_element(values.begin(), values.end()) == -8);
  CHECK(*std::max_element(values.begin(), values.end()) == 7);
  const OpSpec small =
      parseOps(broken("x: {shape: [M, N]", "x: {dtype: fp8, shape: [M, N]"), smallOpFile()).at(0);
  const HostTensor fp8 = drawnFrom(small);
  CHECK(fp8.bytes.size() == 2000);
  const std::vector<double> narrow = valuesOf(fp8), wide = valuesOf(drawn("normal(0, 1)", 4, 500, 1));
  for (std::size_t i = 0; i < wide.size(); ++i)
    CHECK(std::abs(narrow[i] - wide[i]) <= 0.0626 * std::abs(wide[i]) + 0x1p-10);
}

TEST_CASE("values are those of the documented generator", "[ops]") {
  // Worked out independently from docs/ops.md for seed 1 and the tensor name "x".
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  };
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ull;
  const std::uint64_t key = mix(mix(1 + golden) ^ 'x') + golden;
  const HostTensor uniform = drawn("uniform(0, 1)", 1, 1000, 1);
  const HostTensor normal = drawn("normal(0, 1)", 1, 1000, 1);
  for (const std::size_t i : {0u, 1u, 999u}) {
    const std::uint64_t h = mix(key + i * golden);
    CHECK(bitsOf(uniform, i) ==
          std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<double>(h >> 11) * 0x1p-53)));
    const int ones = __builtin_popcountll(h >> 32);
    const int dither = static_cast<int>((h & 0xffff) + ((h >> 16) & 0xffff)) - 65535;
    const double z = ((ones - 16) * 65536 + dither) / (65536 * std::sqrt(8.0 + 1.0 / 6.0));
    CHECK(std::abs(valuesOf(normal)[i] - z) < 1e-6);
  }
}

TEST_CASE("a part of a large tensor does not depend on how it is divided among threads", "[ops]") {
  const HostTensor small = drawn("normal(0, 1)", 1, 1000, 3), large = drawn("normal(0, 1)", 1, 700'001, 3);
  CHECK(std::equal(small.bytes.begin(), small.bytes.end(), large.bytes.begin()));
}

TEST_CASE("normal values have the mean, deviation and shape asked for", "[ops]") {
  const std::vector<double> values = valuesOf(drawn("normal(2, 3)", 1, 1'000'000, 11));
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  int beyondOne = 0, beyondTwo = 0, beyondThree = 0;
  for (const double value : values) {
    const double z = (value - 2) / 3;
    sum += z;
    squares += z * z;
    beyondOne += std::abs(z) > 1;
    beyondTwo += std::abs(z) > 2;
    beyondThree += std::abs(z) > 3;
  }
  // Five standard errors of a million draws.
  CHECK(std::abs(sum / count) < 0.005);
  CHECK(std::abs(squares / count - 1) < 0.0075);
  CHECK(std::abs(beyondOne / count - 0.3173) < 0.005);
  CHECK(std::abs(beyondTwo / count - 0.0455) < 0.003);
  CHECK(std::abs(beyondThree / count - 0.0027) < 0.0007);
}

TEST_CASE("uniform and integer values stay within their bounds and use them", "[ops]") {
  const std::vector<double> uniform = valuesOf(drawn("uniform(-1, 3)", 1, 100'000, 2));
  CHECK(*std::min_element(uniform.begin(), uniform.end()) >= -1);
  CHECK(*std::max_element(uniform.begin(), uniform.end()) <= 3);
  CHECK(*std::min_element(uniform.begin(), uniform.end()) < -0.99);
  CHECK(*std::max_element(uniform.begin(), uniform.end()) > 2.99);
  const std::vector<double> integers = valuesOf(drawn("integers(-2, 3)", 1, 10'000, 2));
  CHECK(std::set<double>(integers.begin(), integers.end()) == std::set<double>{-2, -1, 0, 1, 2});
}

TEST_CASE("no input is ever all zero", "[ops]") {
  // One draw in two would be zero.
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    CHECK(valuesOf(drawn("integers(0, 2)", 1, 1, seed))[0] == 1);
    CHECK(valuesOf(drawn("integers(-1, 1)", 1, 1, seed))[0] == -1);
  }
  CHECK_THROWS_AS(drawn("uniform(0, 1e-12)", 1, 4, 1, DType::Float16), BadInput);
}
