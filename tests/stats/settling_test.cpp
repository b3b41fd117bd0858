// SPDX-License-Identifier: Apache-2.0
#include "stats/settling.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;

namespace {

SettlingRound roundOf(double median, double iqr = 0, std::optional<int> clock = {}) {
  return {{Summary{.n = 10, .median = median, .iqr = iqr}}, clock};
}

bool flat(const std::vector<SettlingRound>& rounds) {
  return isFlat(rounds);
}

}  // namespace

TEST_CASE("fewer than three rounds tell nothing") {
  CHECK_FALSE(flat({}));
  CHECK_FALSE(flat({roundOf(1'000), roundOf(1'000)}));
  CHECK(flat({roundOf(1'000), roundOf(1'000), roundOf(1'000)}));
}

TEST_CASE("medians within 0.5 % are flat, and only the last three rounds count") {
  CHECK(flat({roundOf(2'000), roundOf(1'005), roundOf(1'002), roundOf(1'000)}));
  CHECK_FALSE(flat({roundOf(1'006), roundOf(1'003), roundOf(1'000)}));
  CHECK_FALSE(flat({roundOf(1'000), roundOf(1'006), roundOf(1'000)}));
}

TEST_CASE("medians within the spread of their own calls are flat") {
  CHECK(flat({roundOf(1'030, 40), roundOf(1'000, 40), roundOf(1'010, 40)}));
  CHECK_FALSE(flat({roundOf(1'050, 40), roundOf(1'000, 40), roundOf(1'010, 40)}));
}

TEST_CASE("every implementation must be flat") {
  std::vector<SettlingRound> rounds;
  for (const double second : {1'020.0, 1'010.0, 1'000.0})
    rounds.push_back({{Summary{.median = 1'000}, Summary{.median = second}}, {}});
  CHECK_FALSE(flat(rounds));
}

TEST_CASE("the clock must be within 1 % where there is one") {
  CHECK_FALSE(flat({roundOf(1'000, 0, 1'900), roundOf(1'000, 0, 1'980), roundOf(1'000, 0, 1'980)}));
  CHECK(flat({roundOf(1'000, 0, 1'965), roundOf(1'000, 0, 1'980), roundOf(1'000, 0, 1'980)}));
  CHECK(flat({roundOf(1'000, 0, 345), roundOf(1'000), roundOf(1'000)}));  // a sensor that stopped answering
}
