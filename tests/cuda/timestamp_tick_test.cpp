// SPDX-License-Identifier: Apache-2.0
#include "cuda/timestamp_tick.h"

#include <catch2/catch_test_macros.hpp>
#include <vector>

using namespace opscope;

namespace {

Trace traceOf(const std::vector<std::pair<Ns, Ns>>& intervals) {
  Trace trace;
  for (const auto& [start, end] : intervals) trace.kernels.push_back({.start = start, .end = end});
  return trace;
}

}  // namespace

TEST_CASE("the tick is what all timestamps have in common") {
  // Multiples of 32 from an origin that is none.
  Trace trace =
      traceOf({{5, 69}, {133, 229}, {261, 357}, {389, 517}, {549, 645}, {677, 741}, {773, 869}, {901, 1029}});
  CHECK(cuda::timestampTickOf(trace) == 32);
  trace.kernels[3].end += 1;
  CHECK(cuda::timestampTickOf(trace) == 1);
}

TEST_CASE("durations show the tick where starts are shifted") {
  const Trace trace =
      traceOf({{0, 64}, {101, 197}, {203, 299}, {307, 371}, {401, 497}, {503, 631}, {701, 765}, {809, 905}});
  CHECK(cuda::timestampTickOf(trace) == 32);
}

TEST_CASE("few records tell nothing") {
  CHECK(cuda::timestampTickOf(traceOf({})) == 1);
  CHECK(cuda::timestampTickOf(traceOf({{0, 960}, {1000, 1960}})) == 1);
  CHECK(cuda::timestampTickOf(traceOf(std::vector<std::pair<Ns, Ns>>(20, {5, 5}))) == 1);
}
