// SPDX-License-Identifier: Apache-2.0
#include "cuda/pci.h"

#include <catch2/catch_test_macros.hpp>

using opscope::cuda::nearbyCpusOf;
using opscope::cuda::parseCpuList;

TEST_CASE("cpu lists as Linux writes them") {
  CHECK(parseCpuList("0-3,8\n") == std::vector{0, 1, 2, 3, 8});
  CHECK(parseCpuList("5") == std::vector{5});
  CHECK(parseCpuList("0-1,64-65") == std::vector{0, 1, 64, 65});
  CHECK(parseCpuList("").empty());
  CHECK(parseCpuList("\n").empty());
}

TEST_CASE("what is no cpu list gives none") {
  for (const char* text : {"x", "1-", "3-1", "1,,2", "1;2", "-4", "0-99999999", "99999999999999999999"})
    CHECK(parseCpuList(text).empty());
  CHECK(nearbyCpusOf("0000:ff:1f.7-no-such-device").empty());
}
