// SPDX-License-Identifier: Apache-2.0
#include "session/chrome_trace.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "import/imported_run.h"
#include "import/made_trace.h"
#include "import/trace_gaps.h"
#include "session/synthetic.h"
#include "trace/measure.h"

using namespace opscope;
using namespace opscope::test;
using Json = nlohmann::json;

namespace {

// What a kernel is, without the numbers that an export gives anew.
auto essenceOf(const Trace& trace, const KernelRecord& kernel, Ns origin) {
  const LaunchShape shape =
      kernel.shapeId < trace.shapes.size() ? trace.shapes[kernel.shapeId] : LaunchShape{};
  return std::tuple(kernel.start - origin, kernel.end - origin, trace.names.text(kernel.nameId),
                    kernel.streamId, kernel.deviceId, kernel.graphId, kernel.graphNodeId, shape.gridX,
                    shape.gridZ, shape.blockY, shape.registersPerThread, shape.staticSharedBytes,
                    shape.dynamicSharedBytes);
}

}  // namespace

TEST_CASE("what is exported and imported again has the same kernels, union and gaps") {
  const auto runs = importedRuns(importTrace(madeTrace("kineto-steps.json")), "kineto-steps.json");
  const std::string text = chromeTrace(*runs[0]);
  const ImportedTrace again = imported(text);
  CHECK(again.tool == "Opscope (Chrome trace)");
  const Pass& pass = *runs[0]->passes[0];
  const Ns origin = Json::parse(text)["opscope"]["origin_ns"];
  REQUIRE(again.trace.kernels.size() == pass.trace.kernels.size());
  for (std::size_t k = 0; k < pass.trace.kernels.size(); ++k)
    CHECK(essenceOf(again.trace, again.trace.kernels[k], 0) ==
          essenceOf(pass.trace, pass.trace.kernels[k], origin));
  const auto back = importedRuns(again, "again.json");
  REQUIRE(back.size() == 1);
  const Pass& other = *back[0]->passes[0];
  REQUIRE(other.samples.size() == pass.samples.size());
  for (std::size_t i = 0; i < pass.samples.size(); ++i) {
    CHECK(other.samples[i].busy == pass.samples[i].busy);
    CHECK(other.samples[i].latency == pass.samples[i].latency);
    CHECK(other.samples[i].memopTime == pass.samples[i].memopTime);
  }
  REQUIRE(other.gaps.size() == pass.gaps.size());
  for (std::size_t g = 0; g < pass.gaps.size(); ++g) {
    CHECK(other.gaps[g].start == pass.gaps[g].start - origin);
    CHECK(other.gaps[g].end == pass.gaps[g].end - origin);
    CHECK(other.gaps[g].cause == pass.gaps[g].cause);
  }
  const TraceGaps whole = gapsIn(again.trace, {});
  CHECK(whole.all.busy == 52'501);
  CHECK(whole.all.gapTime == 84'499);
}

TEST_CASE("a run of several passes is a trace of several processes") {
  const Run run = syntheticRun();
  const Json trace = Json::parse(chromeTrace(run));
  std::size_t kernels = 0, recorded = 0, gaps = 0, busy = 0;
  std::set<int> processes;
  for (const Json& event : trace["traceEvents"]) {
    processes.insert(event["pid"].get<int>());
    const std::string category = event.value("cat", "");
    kernels += category == "kernel" ? 1 : 0;
    gaps += category == "opscope_gap" ? 1 : 0;
    busy += category == "opscope_busy" ? 1 : 0;
  }
  std::size_t found = 0, numbered = 0;
  for (const auto& pass : run.passes) {
    recorded += pass->trace.kernels.size();
    found += pass->failure ? 0 : pass->gaps.size();
    numbered += pass->failure ? 0 : 1;
  }
  CHECK(kernels == recorded);
  CHECK(gaps == found);
  CHECK(busy == numbered * 4);  // two stretches in each of two iterations; a failed pass has no number
  CHECK(processes.size() == run.passes.size());
  CHECK(trace["opscope"]["op"] == run.op);
  // Ids of different passes are different.
  const ImportedTrace again = imported(chromeTrace(run));
  CHECK(again.gaps.ambiguousLaunches == 0);
  CHECK(again.trace.kernels.size() == recorded);
}

TEST_CASE("whole ranges come back from an export, and what is half known is no length") {
  Run run = syntheticRun();
  run.passes.resize(1);
  const std::string text = chromeTrace(run);
  const Json written = Json::parse(text);
  std::size_t instants = 0;
  for (const Json& event : written["traceEvents"])
    if (event.value("cat", "") == "opscope_range") {
      ++instants;
      CHECK(event["ph"] == "i");
      CHECK_FALSE(event.contains("dur"));
    }
  CHECK(instants == 3);  // one that never ended, one that was begun before, and a mark
  const ImportedTrace again = imported(text);
  REQUIRE(again.trace.ranges.size() == 1);
  const RangeRecord &range = again.trace.ranges[0], &was = run.passes[0]->trace.ranges[0];
  const Ns origin = written["opscope"]["origin_ns"];
  CHECK(again.trace.names.text(range.nameId) == "forward");
  CHECK(range.start == was.start - origin);
  CHECK(range.end == was.end - origin);
  CHECK(importedRuns(again, "again.json")[0]->passes[0]->trace.ranges.size() == 1);
}

TEST_CASE("a run without passes is a trace without events") {
  Run run;
  CHECK(Json::parse(chromeTrace(run))["traceEvents"].empty());
}
