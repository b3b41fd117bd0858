// SPDX-License-Identifier: Apache-2.0
#include "timing/protocol.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;

using Order = std::vector<std::uint32_t>;

TEST_CASE("budgets divided by the cost, clamped to [10, 200]") {
  const Protocol protocol;
  CHECK(countsFor(protocol, 1 * kMillisecond, 1).iterations == 100);
  CHECK(countsFor(protocol, 1 * kMillisecond, 1).warmups == 25);
  CHECK(countsFor(protocol, 2 * kMicrosecond, 1).iterations == 200);
  CHECK(countsFor(protocol, 50 * kMillisecond, 1).iterations == 10);
  CHECK(countsFor(protocol, 50 * kMillisecond, 1).warmups == 10);
  CHECK(countsFor(protocol, 0, 1).iterations == 200);
}

TEST_CASE("a mirrored block splits budget and bounds between its two passes") {
  const Protocol protocol;
  CHECK(countsFor(protocol, 1 * kMillisecond, 2).iterations == 50);
  CHECK(countsFor(protocol, 1 * kMillisecond, 2).warmups == 12);
  CHECK(countsFor(protocol, 2 * kMicrosecond, 2).iterations == 100);
  CHECK(countsFor(protocol, 50 * kMillisecond, 2).iterations == 5);
}

TEST_CASE("clears that are in no budget bound the counts too, down to the floor") {
  const Protocol protocol;
  // 5 x 100 ms of 0.1 ms + 9.9 ms, where the calls alone would be 200.
  CHECK(countsFor(protocol, kMillisecond / 10, 1, 9'900 * kMicrosecond).iterations == 50);
  CHECK(countsFor(protocol, kMillisecond / 10, 1, 9'900 * kMicrosecond).warmups == 12);
  CHECK(countsFor(protocol, kMillisecond / 10, 2, 9'900 * kMicrosecond).iterations == 25);
  CHECK(countsFor(protocol, kMillisecond / 10, 1, kSecond).iterations == 10);
  CHECK(countsFor(protocol, 1 * kMillisecond, 1, 1 * kMillisecond).iterations == 100);  // calls are fewer
  Protocol stated;
  stated.iterations = 500;
  CHECK(countsFor(stated, kMillisecond, 1, kSecond).iterations == 500);
}

TEST_CASE("a stated count is taken as it is, shared between passes, never below one") {
  Protocol protocol;
  protocol.iterations = 500;
  CHECK(countsFor(protocol, 1 * kMillisecond, 1).iterations == 500);
  CHECK(countsFor(protocol, 1 * kMillisecond, 2).iterations == 250);
  protocol.iterations = 1;
  CHECK(countsFor(protocol, 1 * kMillisecond, 2).iterations == 1);
}

TEST_CASE("blocks are mirrored and rotate their start") {
  CHECK(passOrder(3, 0) == Order{0, 1, 2, 2, 1, 0});
  CHECK(passOrder(3, 1) == Order{1, 2, 0, 0, 2, 1});
  CHECK(passOrder(3, 2) == Order{2, 0, 1, 1, 0, 2});
  CHECK(passOrder(3, 3) == passOrder(3, 0));
  CHECK(passOrder(2, 0) == Order{0, 1, 1, 0});
  CHECK(passOrder(1, 0) == Order{0});
  CHECK(passOrder(1, 5) == Order{0});
}
