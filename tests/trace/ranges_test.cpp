// SPDX-License-Identifier: Apache-2.0
#include "trace/ranges.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;

namespace {

using What = RangeEvent::What;
constexpr std::uint32_t kUnnamed = 90, kDefault = 91, kOther = 92;

RangeEvent nested(What what, Ns at, std::uint32_t name = 0, std::uint32_t thread = 7,
                  std::uint32_t domain = kDefault) {
  return {.what = what, .at = at, .handle = 0, .nameId = name, .domainId = domain, .threadId = thread};
}
RangeEvent byHandle(What what, Ns at, std::uint64_t handle, std::uint32_t name = 0,
                    std::uint32_t thread = 7) {
  return {.what = what, .at = at, .handle = handle, .nameId = name, .domainId = kDefault, .threadId = thread};
}

void checkRange(const RangeRecord& range, Ns start, Ns end, std::uint32_t name, std::uint32_t thread,
                RangeKind kind, RangeKnown known = RangeKnown::Whole) {
  CHECK(range.start == start);
  CHECK(range.end == end);
  CHECK(range.nameId == name);
  CHECK(range.threadId == thread);
  CHECK(range.kind == kind);
  CHECK(range.known == known);
}

}  // namespace

TEST_CASE("a pop ends the newest push of its own thread") {
  const std::vector<RangeEvent> events{nested(What::Push, 100, 1),    nested(What::Push, 110, 2),
                                       nested(What::Push, 115, 3, 8), nested(What::Pop, 120),
                                       nested(What::Pop, 125, 0, 8),  nested(What::Pop, 130)};
  const auto ranges = rangesOf(events, kUnnamed);
  REQUIRE(ranges.size() == 3);
  checkRange(ranges[0], 100, 130, 1, 7, RangeKind::Nested);
  checkRange(ranges[1], 110, 120, 2, 7, RangeKind::Nested);
  checkRange(ranges[2], 115, 125, 3, 8, RangeKind::Nested);
}

TEST_CASE("domains are nested each for itself") {
  const std::vector<RangeEvent> events{nested(What::Push, 10, 1), nested(What::Push, 20, 2, 7, kOther),
                                       nested(What::Pop, 30), nested(What::Pop, 40, 0, 7, kOther)};
  const auto ranges = rangesOf(events, kUnnamed);
  REQUIRE(ranges.size() == 2);
  checkRange(ranges[0], 10, 30, 1, 7, RangeKind::Nested);
  checkRange(ranges[1], 20, 40, 2, 7, RangeKind::Nested);
  CHECK(ranges[1].domainId == kOther);
}

TEST_CASE("what was not recorded of a range stays open") {
  const std::vector<RangeEvent> events{nested(What::Pop, 10),      nested(What::Push, 20, 1),
                                       nested(What::Push, 30, 2),  nested(What::Pop, 40),
                                       byHandle(What::End, 50, 5), byHandle(What::Start, 60, 6, 3)};
  const auto ranges = rangesOf(events, kUnnamed);
  REQUIRE(ranges.size() == 5);
  checkRange(ranges[0], 0, 10, kUnnamed, 7, RangeKind::Nested, RangeKnown::End);
  checkRange(ranges[1], 20, 0, 1, 7, RangeKind::Nested, RangeKnown::Beginning);
  checkRange(ranges[2], 30, 40, 2, 7, RangeKind::Nested);
  checkRange(ranges[3], 0, 50, kUnnamed, 7, RangeKind::Free, RangeKnown::End);
  checkRange(ranges[4], 60, 0, 3, 7, RangeKind::Free, RangeKnown::Beginning);
}

TEST_CASE("ranges by handle overlap, and end on any thread") {
  const std::vector<RangeEvent> events{byHandle(What::Start, 10, 1, 1), byHandle(What::Start, 20, 2, 2),
                                       byHandle(What::End, 30, 1, 0, 9), byHandle(What::End, 40, 2),
                                       byHandle(What::End, 50, 2)};
  const auto ranges = rangesOf(events, kUnnamed);
  REQUIRE(ranges.size() == 3);
  checkRange(ranges[0], 10, 30, 1, 7, RangeKind::Free);
  checkRange(ranges[1], 20, 40, 2, 7, RangeKind::Free);
  checkRange(ranges[2], 0, 50, kUnnamed, 7, RangeKind::Free, RangeKnown::End);  // ended twice
}

TEST_CASE("a mark is one instant, and no events are no ranges") {
  const std::vector<RangeEvent> events{nested(What::Mark, 10, 4)};
  const auto ranges = rangesOf(events, kUnnamed);
  REQUIRE(ranges.size() == 1);
  checkRange(ranges[0], 10, 10, 4, 7, RangeKind::Mark);
  CHECK(rangesOf({}, kUnnamed).empty());
}

TEST_CASE("a range lies in the iteration in which it began") {
  Trace trace;
  trace.iterations = {{100, 150, 200}, {210, 250, 300}};
  const auto of = [&](Ns start, Ns end, RangeKnown known = RangeKnown::Whole) {
    return iterationOf(trace, {.start = start, .end = end, .known = known});
  };
  CHECK_FALSE(of(99, 120));
  CHECK(of(100, 120) == 0U);
  CHECK(of(200, 205) == 0U);
  CHECK_FALSE(of(205, 220));
  CHECK(of(210, 999) == 1U);
  CHECK_FALSE(of(301, 302));
  CHECK(of(0, 250, RangeKnown::End) == 1U);  // begun before the recording: where it ended
  CHECK(of(250, 0, RangeKnown::Beginning) == 1U);
  CHECK_FALSE(iterationAt({}, 5));

  const auto crosses = [&](Ns start, Ns end, RangeKnown known = RangeKnown::Whole) {
    return crossesIterations(trace, {.start = start, .end = end, .known = known});
  };
  CHECK_FALSE(crosses(100, 200));
  CHECK(crosses(100, 205));
  CHECK(crosses(100, 210));
  CHECK_FALSE(crosses(100, 0, RangeKnown::Beginning));
  CHECK_FALSE(crosses(50, 210));  // did not begin in one
}
