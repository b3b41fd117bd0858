// SPDX-License-Identifier: Apache-2.0
#include "stats/summary.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <vector>

using namespace opscope;

TEST_CASE("nothing summarises to nothing") {
  const Summary s = summarise({});
  CHECK(s.n == 0);
  CHECK(s.median == 0);
}

TEST_CASE("one value is every quantile") {
  const std::vector<Ns> one{42};
  const Summary s = summarise(one);
  CHECK(s.n == 1);
  CHECK(s.median == 42);
  CHECK(s.p10 == 42);
  CHECK(s.p90 == 42);
  CHECK(s.iqr == 0);
}

TEST_CASE("quantiles are sorted[round(p (n - 1))] and the even median the mean of the middle") {
  // Sorted 10 20 ... 100, n = 10: p10 = sorted[round(0.9)] = sorted[1], p90 = sorted[round(8.1)] = sorted[8],
  // quartiles sorted[round(2.25)] = sorted[2] and sorted[round(6.75)] = sorted[7].
  const std::vector<Ns> values{30, 100, 20, 90, 10, 80, 70, 40, 60, 50};
  const Summary s = summarise(values);
  CHECK(s.median == 55);
  CHECK(s.p10 == 20);
  CHECK(s.p90 == 90);
  CHECK(s.min == 10);
  CHECK(s.max == 100);
  CHECK(s.iqr == 50);
}

TEST_CASE("order does not matter") {
  std::mt19937_64 random(7);
  std::vector<Ns> values(101);
  for (Ns& value : values) value = static_cast<Ns>(random() % 1000);
  const Summary before = summarise(values);
  std::shuffle(values.begin(), values.end(), random);
  const Summary after = summarise(values);
  CHECK(before.median == after.median);
  CHECK(before.p10 == after.p10);
  CHECK(before.p90 == after.p90);
}
