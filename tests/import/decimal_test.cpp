// SPDX-License-Identifier: Apache-2.0
#include "import/decimal.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;

TEST_CASE("microseconds become nanoseconds by their digits") {
  CHECK(nsOfMicroseconds("0") == 0);
  CHECK(nsOfMicroseconds("-0.0") == 0);
  CHECK(nsOfMicroseconds("1") == 1'000);
  CHECK(nsOfMicroseconds("4.928") == 4'928);
  CHECK(nsOfMicroseconds("0.001") == 1);
  CHECK(nsOfMicroseconds("-12.5") == -12'500);
  // A double of this size counts in steps of 250 ns: it would say ...583000.
  CHECK(nsOfMicroseconds("1712195495505582.988") == 1'712'195'495'505'582'988);
  CHECK(nsOfMicroseconds("1695835542514261") == 1'695'835'542'514'261'000);
}

TEST_CASE("what is finer than a nanosecond is rounded, halves away from 0") {
  CHECK(nsOfMicroseconds("0.0004") == 0);
  CHECK(nsOfMicroseconds("0.0005") == 1);
  CHECK(nsOfMicroseconds("-0.0005") == -1);
  CHECK(nsOfMicroseconds("1.2344999999999999999999999999999") == 1'234);
  CHECK(nsOfMicroseconds("1.9999999") == 2'000);
  CHECK(nsOfMicroseconds("0.00004") == 0);
  CHECK(nsOfMicroseconds("9e-4") == 1);
}

TEST_CASE("exponents move the point, however far") {
  CHECK(nsOfMicroseconds("1e3") == 1'000'000);
  CHECK(nsOfMicroseconds("1.5E+2") == 150'000);
  CHECK(nsOfMicroseconds("1712195495505582988e-3") == 1'712'195'495'505'582'988);
  CHECK(nsOfMicroseconds("1.712195495505582988e15") == 1'712'195'495'505'582'988);
  CHECK(nsOfMicroseconds("5e-999999999999") == 0);
  CHECK(nsOfMicroseconds("0e999999999999") == 0);
  CHECK(nsOfMicroseconds("0.000e99") == 0);
  CHECK_FALSE(nsOfMicroseconds("1e999999999999"));
}

TEST_CASE("an instant that is too far away is refused, not wrapped") {
  CHECK(nsOfMicroseconds("4000000000000000") == kFurthestNs);
  CHECK(nsOfMicroseconds("-4000000000000000.000") == -kFurthestNs);
  CHECK_FALSE(nsOfMicroseconds("4000000000000000.001"));
  CHECK_FALSE(nsOfMicroseconds("18446744073709551616"));
  CHECK_FALSE(nsOfMicroseconds(std::string(100'000, '9')));
}

TEST_CASE("what is no JSON number is none here") {
  for (const char* text : {"", "-", ".5", "1.", "01", "+1", "1e", "1e+", "0x10", "1 ", " 1", "NaN",
                           "Infinity", "1.2.3", "\"1\"", "null", "1,5", "--1"}) {
    INFO(text);
    CHECK_FALSE(nsOfMicroseconds(text));
  }
}
