// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested_launches.h"

#include <catch2/catch_test_macros.hpp>

using namespace opscope;

namespace {

void launch(Trace& trace, Ns start, Ns end, std::uint32_t correlation, std::uint32_t thread = 1) {
  trace.launches.push_back({.start = start, .end = end, .correlationId = correlation, .threadId = thread});
}
void kernel(Trace& trace, std::uint32_t correlation) {
  trace.kernels.push_back({.correlationId = correlation});
}
std::vector<std::uint32_t> left(Trace& trace) {
  cuda::foldNestedLaunches(trace);
  std::vector<std::uint32_t> ids;
  for (const auto& record : trace.launches) ids.push_back(record.correlationId);
  return ids;
}

}  // namespace

TEST_CASE("a driver call inside the runtime call that made it is the same launch") {
  Trace trace;
  launch(trace, 100, 200, 7);
  launch(trace, 110, 190, 7);
  kernel(trace, 7);
  CHECK(left(trace) == std::vector<std::uint32_t>{7});
  CHECK(trace.launches[0].start == 100);  // the outer one
}

TEST_CASE("the launch that joins the device's record is kept") {
  SECTION("the outer one") {
    Trace trace;
    launch(trace, 110, 190, 8);
    launch(trace, 100, 200, 7);
    kernel(trace, 7);
    CHECK(left(trace) == std::vector<std::uint32_t>{7});
  }
  SECTION("the inner one") {
    Trace trace;
    launch(trace, 100, 200, 7);
    launch(trace, 110, 190, 8);
    trace.memops.push_back({.correlationId = 8});
    CHECK(left(trace) == std::vector<std::uint32_t>{8});
  }
}

TEST_CASE("a pair whose kernel is lost still leaves a launch") {
  Trace trace;
  launch(trace, 100, 200, 7);
  launch(trace, 110, 190, 8);
  CHECK(left(trace) == std::vector<std::uint32_t>{7});
}

TEST_CASE("an inner launch with a record of its own is a launch of its own") {
  Trace trace;
  launch(trace, 100, 200, 7);
  launch(trace, 110, 150, 8);
  launch(trace, 160, 190, 9);
  kernel(trace, 7);
  kernel(trace, 8);
  CHECK(left(trace) == std::vector<std::uint32_t>{7, 8});
}

TEST_CASE("launches that follow each other or overlap on other threads stay") {
  Trace trace;
  launch(trace, 100, 200, 7);
  launch(trace, 200, 300, 8);
  launch(trace, 120, 180, 9, 2);
  kernel(trace, 7);
  CHECK(left(trace) == std::vector<std::uint32_t>{7, 8, 9});
  Trace none;
  CHECK(left(none).empty());
}
