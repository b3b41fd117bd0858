// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/text_key.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>
#include <unordered_map>

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

TEST_CASE("values of one key have one text, and far fewer keys than values") {
  std::mt19937_64 random(3);
  for (const TimeUnit unit : {TimeUnit::Nanoseconds, TimeUnit::Microseconds, TimeUnit::Seconds}) {
    std::unordered_map<std::uint64_t, std::string> texts;
    const auto check = [&](double ns) {
      const auto [found, isNew] = texts.try_emplace(textKeyIn(unit, ns), formatIn(unit, ns));
      if (!isNew && found->second != formatIn(unit, ns))
        FAIL("one key for " << found->second << " and " << ns);
    };
    for (const double ns :
         {0.0, 1e-14, -1e-14, 9'999.5, 9'999.4, 9'999.6, 10'000.0, 12'345.0, 12'350.0, -12'350.0, 1e15, 1e30})
      check(ns);
    for (int i = 0; i < 50'000; ++i) {
      const double ns = static_cast<double>(random() % 4'000'000'000);
      check(ns);
      check(-ns / 4'096);
    }
    CHECK(textKeyIn(unit, 1'500) == textKeyIn(unit, 1'500));
    CHECK(textKeyIn(unit, 1'500) != textKeyIn(unit, -1'500));
    if (unit == TimeUnit::Seconds) CHECK(texts.size() < 45'000);
  }
  CHECK(textKeyIn(TimeUnit::Seconds, 2'345'012'345) == textKeyIn(TimeUnit::Seconds, 2'344'987'654));
  CHECK(textKeyIn(TimeUnit::Seconds, 0) != textKeyIn(TimeUnit::Seconds, 1e-9));
}
