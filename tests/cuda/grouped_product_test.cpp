// SPDX-License-Identifier: Apache-2.0
#include "cuda/grouped_product.h"

#include <catch2/catch_test_macros.hpp>

#include "base/error.h"

using namespace opscope;
using cuda::groupsOf;

TEST_CASE("groups without rows are left out, and the others keep their numbers") {
  const auto groups = groupsOf({0, 0, 3, 3, 4}, 4, "test");
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].index == 1);
  CHECK(groups[0].firstRow == 0);
  CHECK(groups[0].rows == 3);
  CHECK(groups[1].index == 3);
  CHECK(groups[1].firstRow == 3);
  CHECK(groups[1].rows == 1);
}

TEST_CASE("offsets that do not divide the rows among groups are refused") {
  CHECK_THROWS_AS(groupsOf({}, 0, "test"), BadInput);
  CHECK_THROWS_AS(groupsOf({0}, 0, "test"), BadInput);
  CHECK_THROWS_AS(groupsOf({1, 4}, 4, "test"), BadInput);
  CHECK_THROWS_AS(groupsOf({0, 3}, 4, "test"), BadInput);
  CHECK_THROWS_AS(groupsOf({0, 5}, 4, "test"), BadInput);
  CHECK_THROWS_AS(groupsOf({0, 3, 2, 4}, 4, "test"), BadInput);
}
