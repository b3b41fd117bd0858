// SPDX-License-Identifier: Apache-2.0
#include "trace/intervals.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;

TEST_CASE("the union joins what overlaps or touches and drops what is empty") {
  CHECK(unionOf({}).empty());
  CHECK(unionOf({{5, 5}, {9, 3}}).empty());
  CHECK(unionOf({{10, 20}, {0, 5}, {15, 30}, {5, 7}}) == std::vector<Interval>{{0, 7}, {10, 30}});
  CHECK(unionOf({{0, 100}, {10, 20}, {99, 101}}) == std::vector<Interval>{{0, 101}});
}

TEST_CASE("covered counts only what lies inside the window") {
  const std::vector<Interval> disjoint{{0, 10}, {20, 30}, {40, 50}};
  CHECK(covered(disjoint, {5, 45}) == 5 + 10 + 5);
  CHECK(covered(disjoint, {10, 20}) == 0);
  CHECK(covered(disjoint, {22, 23}) == 1);
  CHECK(covered(disjoint, {30, 30}) == 0);
  CHECK(covered({}, {0, 100}) == 0);
}
