// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

#include "ops/expression.h"

using namespace opscope;

namespace {

double valueOf(const std::string& text, const Scope& scope = {}) {
  return evaluate({text, {}}, scope);
}

ErrorInfo failureOf(const std::string& text, const Scope& scope = {}) {
  const Place place{"ops.yaml", 4, 9};
  try {
    evaluate({text, place}, scope);
  } catch (const BadInput& error) {
    CHECK(error.info().place == place);
    return error.info();
  }
  FAIL("evaluated: " << text);
  return {};
}

}  // namespace

TEST_CASE("expressions know dimensions and the functions of shapes", "[ops]") {
  CHECK(valueOf("2 * M * N", {{"M", 3}, {"N", 5}}) == 30);
  CHECK(valueOf("ceil_div(7, 2)") == 4);
  CHECK(valueOf("ceil_div(8, 2)") == 4);
  CHECK(valueOf("ceil_div(0, 2)") == 0);
  CHECK(valueOf("ceil_div(-7, 2)") == -3);
  CHECK(valueOf("floor_div(7, 2)") == 3);
  CHECK(valueOf("floor_div(8, 2)") == 4);
  CHECK(valueOf("floor_div(1, 2)") == 0);
  CHECK(valueOf("floor_div(-7, 2)") == -4);
  CHECK(valueOf("mod(7, 4)") == 3);
  CHECK(valueOf("min(3, 1, 2) + max(3, 1, 2)") == 4);
  CHECK(valueOf("flag ? 1 : 2", {{"flag", 0}}) == 2);
  CHECK(valueOf("1e3 + 0.5") == 1000.5);
}

TEST_CASE("a name or a number alone is what it is within a longer expression", "[ops]") {
  const Scope scope{{"M", 3}, {"N", 9007199254740991.0}, {"_x1", -0.5}, {"infinite", INFINITY}};
  for (const std::string text :
       {"M", "N", "_x1", "0", "7", "007", "999999999999999", "123456789012345678", "1e3", " M"})
    CHECK(valueOf(text, scope) == valueOf("0 + " + text, scope));
  for (const std::string text : {"infinite", "K", "min", "١"}) {
    CAPTURE(text);
    CHECK(failureOf(text, scope).code == ErrorCode::BadInput);
  }
}

TEST_CASE("whole numbers are exact up to 2^53", "[ops]") {
  // 2^53 - 1 = 3 * 3002399751580330 + 1: a quotient that division in doubles rounds down to whole.
  CHECK(evaluateInteger({"ceil_div(9007199254740991, 3002399751580330)", {}}, {}, 0, 10) == 4);
  CHECK(evaluateInteger({"a + 1", {}}, {{"a", 9007199254740991.0}}, 0, std::int64_t{1} << 53) ==
        9007199254740992);
  CHECK_THROWS_AS(evaluateInteger({"a * 4", {}}, {{"a", 9007199254740991.0}}, 0, INT64_MAX), BadInput);
}

TEST_CASE("what cannot be evaluated is told at its place", "[ops]") {
  for (const char* text : {"",
                           "M *",
                           "(1",
                           "1)",
                           "K",
                           "f(1)",
                           "1, 2",
                           "\"text\"",
                           "M = 3",
                           "ceil_div(1)",
                           "ceil_div(1, 0)",
                           "floor_div(1, 0)",
                           "ceil_div(1.5, 2)",
                           "mod(1, 0)",
                           "1 / 0",
                           "0 / 0",
                           "1e308 * 10",
                           "sqrt(-1)",
                           "2 M",
                           "$",
                           "ä"}) {
    CAPTURE(text);
    CHECK(failureOf(text, {{"M", 2}}).code == ErrorCode::BadInput);
  }
  CHECK_THAT(failureOf("K").message, Catch::Matchers::ContainsSubstring("\"K\""));
  CHECK_THAT(failureOf(std::string(5000, '(')).message,
             Catch::Matchers::ContainsSubstring("5000 characters"));
}

TEST_CASE("an integer must be whole and within its bounds", "[ops]") {
  CHECK(evaluateInteger({"6 / 2", {}}, {}, 3, 3) == 3);
  CHECK_THROWS_AS(evaluateInteger({"5 / 2", {}}, {}, 0, 10), BadInput);
  CHECK_THROWS_AS(evaluateInteger({"11", {}}, {}, 0, 10), BadInput);
  CHECK_THROWS_AS(evaluateInteger({"0 - 1", {}}, {}, 0, 10), BadInput);
}

TEST_CASE("the names of an expression are found without values", "[ops]") {
  CHECK(namesIn({"ceil_div(M * N, 16) + (flag ? a : b)", {}}) ==
        std::set<std::string>{"M", "N", "a", "b", "flag"});
  CHECK(namesIn({"16", {}}).empty());
  CHECK_THROWS_AS(namesIn({"M +", {}}), BadInput);
  // One evaluation leaves nothing behind for the next.
  CHECK(valueOf("M", {{"M", 1}}) == 1);
  CHECK_THROWS_AS(valueOf("M"), BadInput);
}
