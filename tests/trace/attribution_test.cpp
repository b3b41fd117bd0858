// SPDX-License-Identifier: Apache-2.0
#include "trace/attribution.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "trace/trace_builder.h"

using namespace opscope;
using opscope::test::TraceBuilder;

namespace {

std::string messageOf(const Trace& trace) {
  try {
    attribute(trace);
  } catch (const Error& error) {
    return std::string(nameOf(error.code())) + ": " + error.what();
  }
  return "no failure";
}

}  // namespace

TEST_CASE("the external id decides, not the time") {
  TraceBuilder b(2);
  // Iteration 1's kernel ran before iteration 0's, and both before their launches returned.
  b.launched(0, 0, 10, 500, 600);
  b.launched(1, 20, 30, 100, 200);
  b.launched(kPrepareId, 40, 50, 550, 560);
  const Attribution a = attribute(b.trace);
  REQUIRE(a.iterations() == 2);
  REQUIRE(a.kernelsOf(0).size() == 1);
  CHECK(b.trace.kernels[a.kernelsOf(0)[0]].start == 500);
  REQUIRE(a.kernelsOf(1).size() == 1);
  CHECK(b.trace.kernels[a.kernelsOf(1)[0]].start == 100);
}

TEST_CASE("kernels of an iteration stand in order of their start") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 300, 400);
  b.launched(0, 2, 3, 100, 150);
  b.launched(0, 4, 5, 200, 250);
  const Attribution a = attribute(b.trace);
  std::vector<Ns> starts;
  for (const auto k : a.kernelsOf(0)) starts.push_back(b.trace.kernels[k].start);
  CHECK(starts == std::vector<Ns>{100, 200, 300});
}

TEST_CASE("a graph's kernels share the graph launch and all belong to its iteration") {
  TraceBuilder b(1);
  const auto graph = b.launch(0, 0, 10, LaunchKind::Graph);
  for (int k = 0; k < 100; ++k) b.kernel(graph, 100 + 10 * k, 105 + 10 * k);
  CHECK(attribute(b.trace).kernelsOf(0).size() == 100);
}

TEST_CASE("dropped records leave no number") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 10, 20);
  b.trace.dropped.records = 12;
  CHECK_THROWS_AS(attribute(b.trace), RecordsLost);
  CHECK_THAT(messageOf(b.trace), Catch::Matchers::ContainsSubstring("12 records were dropped"));
}

TEST_CASE("a launch without anything that ran is a lost record, even where other kernels are there") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 10, 20);
  b.launch(0, 2, 3);
  CHECK_THROWS_AS(attribute(b.trace), RecordsLost);
}

TEST_CASE("a launch while preparing is nobody's loss") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 10, 20);
  b.launch(kPrepareId, 2, 3);
  CHECK_NOTHROW(attribute(b.trace));
}

TEST_CASE("an empty graph is believed while no graph ran anything, and a lost one is not") {
  TraceBuilder b(2);
  b.launched(0, 0, 1, 10, 20);
  b.launched(1, 4, 5, 30, 40);
  b.launch(0, 2, 3, LaunchKind::Graph);
  CHECK_NOTHROW(attribute(b.trace));
  b.kernel(b.launch(1, 6, 7, LaunchKind::Graph), 50, 60);
  CHECK_THROWS_AS(attribute(b.trace), RecordsLost);
}

TEST_CASE("a kernel without an iteration was launched by another thread") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 10, 20);
  b.kernel(9999, 12, 14, 7, "their_kernel");
  CHECK_THROWS_AS(attribute(b.trace), OffThreadLaunch);
  CHECK_THAT(messageOf(b.trace), Catch::Matchers::ContainsSubstring("'their_kernel'"));
}

TEST_CASE("an id outside the pass counts as none") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 10, 20);
  b.launched(1, 2, 3, 30, 40);
  CHECK_THROWS_AS(attribute(b.trace), OffThreadLaunch);
}

TEST_CASE("an iteration without kernels never reached the device") {
  TraceBuilder b(2);
  b.launched(0, 0, 1, 10, 20);
  CHECK_THROWS_AS(attribute(b.trace), NoKernel);
  CHECK_THAT(messageOf(b.trace), Catch::Matchers::ContainsSubstring("Iteration 1"));
}

TEST_CASE("a call that only copies is told so") {
  TraceBuilder b(1);
  b.memop(b.launch(0, 0, 1, LaunchKind::Copy), 10, 20);
  CHECK_THROWS_AS(attribute(b.trace), NoKernel);
  CHECK_THAT(messageOf(b.trace), Catch::Matchers::ContainsSubstring("the call only copied"));
}

TEST_CASE("with an unproven drop counter whatever is missing is unknown, and what is complete stands") {
  TraceBuilder b(2);
  b.trace.dropped.proven = false;
  b.launched(0, 0, 1, 10, 20);
  CHECK_THROWS_AS(attribute(b.trace), DropCounterUnproven);  // iteration 1 has none
  b.launched(1, 2, 3, 30, 40);
  CHECK_NOTHROW(attribute(b.trace));
  b.kernel(9999, 50, 60);
  CHECK_THROWS_AS(attribute(b.trace), DropCounterUnproven);
  b.trace.kernels.pop_back();
  b.launch(0, 4, 5);
  CHECK_THROWS_AS(attribute(b.trace), DropCounterUnproven);
}

TEST_CASE("records without timestamps are no records") {
  TraceBuilder b(1);
  b.launched(0, 0, 1, 0, 0);
  CHECK_THROWS_AS(attribute(b.trace), TimestampsMissing);
  b.trace.kernels[0] = {.start = 20, .end = 10, .correlationId = b.trace.kernels[0].correlationId};
  CHECK_THROWS_AS(attribute(b.trace), TimestampsMissing);
  TraceBuilder copies(1);
  copies.launched(0, 0, 1, 10, 20);
  copies.memop(copies.launch(0, 2, 3, LaunchKind::Copy), 9, 3);
  CHECK_THROWS_AS(attribute(copies.trace), TimestampsMissing);
}

TEST_CASE("grouping without judgement leaves out what nobody owns") {
  TraceBuilder b(2);
  b.launched(0, 0, 1, 10, 20);
  b.kernel(9999, 12, 14);
  const Attribution a = groupByIteration(b.trace);
  CHECK(a.kernelsOf(0).size() == 1);
  CHECK(a.kernelsOf(1).empty());
}

TEST_CASE("correlation ids far apart are found as well") {
  TraceBuilder b(2);
  b.launched(0, 0, 1, 10, 20);
  b.launched(1, 0, 1, 30, 40);
  b.trace.kernels[1].correlationId = b.trace.externalIds[1].correlationId = 4'000'000'000U;
  b.trace.launches[1].correlationId = 4'000'000'000U;
  CHECK(attribute(b.trace).kernelsOf(1).size() == 1);
  CHECK(ExternalIds(b.trace.externalIds)[4'000'000'000U] == 1);
  CHECK(ExternalIds(b.trace.externalIds)[5] == ExternalIds::kNone);
}

TEST_CASE("a pass without iterations or records attributes to nothing") {
  const Attribution a = attribute(TraceBuilder(0).trace);
  CHECK(a.iterations() == 0);
}

TEST_CASE("the names of a trace's kernels are those of its iterations") {
  TraceBuilder b(1);
  b.kernel(b.launch(0, 0, 10), 20, 30, 7, "norm");
  b.kernel(b.launch(0, 30, 40), 50, 60, 7, "scale");
  b.kernel(b.launch(0, 60, 70), 80, 90, 7, "norm");
  b.kernel(b.launch(kPrepareId, 100, 110), 120, 130, 7, "clear");
  CHECK(kernelNames(b.trace) == std::set<std::string>{"norm", "scale"});
  CHECK(kernelNames(Trace{}).empty());
}
