// SPDX-License-Identifier: Apache-2.0
#include "trace/string_table.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;

TEST_CASE("equal strings share an id and copies stand on their own") {
  StringTable table;
  const auto a = table.intern("alpha"), b = table.intern("beta");
  CHECK(a == 0);
  CHECK(b == 1);
  CHECK(table.intern("alpha") == a);
  StringTable copy = table;
  table = StringTable();
  CHECK(copy.text(b) == "beta");
  CHECK(copy.intern("beta") == b);
  CHECK(copy.intern("gamma") == 2);
}

TEST_CASE("an id that was never given out is an empty string") {
  CHECK(StringTable().text(7).empty());
}
