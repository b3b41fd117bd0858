// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

using namespace opscope;

TEST_CASE("durations have four significant digits and a unit") {
  CHECK(formatNs(0) == "0 ns");
  CHECK(formatNs(7) == "7.000 ns");
  CHECK(formatNs(12'608) == "12.61 us");
  CHECK(formatNs(999.96) == "1000 ns");
  CHECK(formatNs(31'200'000) == "31.20 ms");
  CHECK(formatNs(-4'200) == "-4.200 us");
  CHECK(formatNs(1.5e9) == "1.500 s");
  CHECK(formatNs(123'456'000'000'000.0) == "123456 s");
}

TEST_CASE("a view's unit holds for all its values") {
  CHECK(unitFor(12'608) == TimeUnit::Microseconds);
  CHECK(formatIn(TimeUnit::Microseconds, 480) == "0.4800");
  CHECK(formatIn(TimeUnit::Microseconds, 2'068'000) == "2068");
}

TEST_CASE("rounding up does not add a digit") {
  CHECK(formatNumber(9.99996) == "10.00");
  CHECK(formatNumber(0.099999) == "0.1000");
}

TEST_CASE("exact nanoseconds keep every digit") {
  CHECK(formatExactNs(0) == "0 ns");
  CHECK(formatExactNs(999) == "999 ns");
  CHECK(formatExactNs(7'420) == "7 420 ns");
  CHECK(formatExactNs(-1'234'567) == "-1 234 567 ns");
}

TEST_CASE("bytes, shares and what is not a number") {
  CHECK(formatBytes(512) == "512 B");
  CHECK(formatBytes(33'562'624) == "33.56 MB");
  CHECK(formatShare(0.4123) == "41.2 %");
  CHECK(formatNumber(std::nan("")) == "nan");
}
