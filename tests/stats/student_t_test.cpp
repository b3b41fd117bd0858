// SPDX-License-Identifier: Apache-2.0
#include "stats/student_t.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <numbers>

#include "base/error.h"

using namespace opscope;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

TEST_CASE("quantiles are those of the printed table") {
  struct Row {
    unsigned degreesOfFreedom;
    double at90, at95, at99;
  };
  for (const Row& row :
       {Row{1, 6.314, 12.706, 63.657}, Row{2, 2.920, 4.303, 9.925}, Row{3, 2.353, 3.182, 5.841},
        Row{4, 2.132, 2.776, 4.604}, Row{5, 2.015, 2.571, 4.032}, Row{7, 1.895, 2.365, 3.499},
        Row{10, 1.812, 2.228, 3.169}, Row{30, 1.697, 2.042, 2.750}, Row{120, 1.658, 1.980, 2.617}}) {
    INFO(row.degreesOfFreedom);
    CHECK_THAT(studentT(0.90, row.degreesOfFreedom), WithinAbs(row.at90, 0.00051));
    CHECK_THAT(studentT(0.95, row.degreesOfFreedom), WithinAbs(row.at95, 0.00051));
    CHECK_THAT(studentT(0.99, row.degreesOfFreedom), WithinAbs(row.at99, 0.00051));
  }
}

TEST_CASE("quantiles agree with the closed forms of one and two degrees of freedom") {
  for (const double confidence : {0.01, 0.5, 0.95, 0.9999}) {
    CHECK_THAT(studentT(confidence, 1), WithinRel(std::tan(std::numbers::pi * confidence / 2), 1e-9));
    CHECK_THAT(studentT(confidence, 2),
               WithinRel(confidence * std::sqrt(2 / (1 - confidence * confidence)), 1e-9));
  }
}

TEST_CASE("many degrees of freedom are the normal distribution") {
  CHECK_THAT(studentT(0.95, 1'000'000), WithinAbs(1.959964, 1e-5));
}

TEST_CASE("no confidence and no degrees of freedom have no quantile") {
  CHECK_THROWS_AS(studentT(0, 5), InternalError);
  CHECK_THROWS_AS(studentT(1, 5), InternalError);
  CHECK_THROWS_AS(studentT(std::nan(""), 5), InternalError);
  CHECK_THROWS_AS(studentT(0.95, 0), InternalError);
}
