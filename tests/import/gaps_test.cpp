// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "import/gaps_report.h"
#include "import/made_trace.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const ImportedTrace& steps() {
  static const ImportedTrace trace = importTrace(madeTrace("kineto-steps.json"));
  return trace;
}

constexpr Ns kZero = 1'712'195'495'000'000'000;

}  // namespace

TEST_CASE("each gap has its cause and its parts") {
  const TraceGaps found = gapsIn(steps().trace, {});
  REQUIRE(found.gaps.size() == 5);
  const auto is = [&](std::size_t g, Ns start, Ns end, GapCause cause, Ns copy, Ns host, Ns device) {
    const Gap& gap = found.gaps[g];
    CHECK(gap.start - kZero == start);
    CHECK(gap.end - kZero == end);
    CHECK(nameOf(gap.cause) == nameOf(cause));
    CHECK(gap.copy == copy);
    CHECK(gap.host == host);
    CHECK(gap.device == device);
  };
  is(0, 40'001, 60'125, GapCause::HostLate, 0, 15'999, 4'125);
  is(1, 65'125, 115'500, GapCause::HostLate, 10'000, 39'875, 500);
  is(2, 125'500, 130'000, GapCause::NoLaunchRecord, 0, 0, 4'500);
  is(3, 132'000, 140'000, GapCause::HostLate, 0, 4'000, 4'000);
  is(4, 143'000, 144'500, GapCause::InGraph, 0, 0, 1'500);
  // Launched while the device was idle: 4.125 us and 9.5 us after the call.
  CHECK(found.clock.launchLatency == 9'500);
  CHECK_FALSE(found.clock.known);
  CHECK(found.latency == 137'000);
}

TEST_CASE("streams stand alone, too") {
  const TraceGaps found = gapsIn(steps().trace, {});
  REQUIRE(found.streams.size() == 2);
  CHECK(found.streams[0].streamId == 7);
  CHECK(found.streams[0].kernels == 6);
  CHECK(found.streams[0].busy == 50'251);
  CHECK(found.streams[0].gaps == 5);
  CHECK(found.streams[0].gapTime == 86'749);
  CHECK(found.streams[1].streamId == 20);
  CHECK(found.streams[1].busy == 17'000);
  CHECK(found.streams[1].gapTime == 95'000);

  const TraceGaps alone = gapsIn(steps().trace, {.device = {}, .streams = {20}, .range = {}});
  CHECK(alone.all.kernels == 2);
  CHECK(alone.all.busy == 17'000);
  REQUIRE(alone.gaps.size() == 1);
  CHECK(alone.gaps[0].cause == GapCause::NoLaunchRecord);
}

TEST_CASE("a range cuts what crosses its ends") {
  const TraceGaps found =
      gapsIn(steps().trace, {.device = {}, .streams = {}, .range = Interval{kZero + 35'001, kZero + 62'125}});
  CHECK(found.all.kernels == 2);
  CHECK(found.all.busy == 5'000 + 2'000);
  REQUIRE(found.gaps.size() == 1);
  CHECK(found.gaps[0].length() == 20'124);
  // What only touches an end of it is outside.
  const TraceGaps touching =
      gapsIn(steps().trace, {.device = {}, .streams = {}, .range = Interval{kZero + 40'001, kZero + 60'125}});
  CHECK(touching.all.kernels == 0);
}

TEST_CASE("devices are apart where they are asked for apart") {
  const ImportedTrace two =
      imported(traceWith(kernelEvent("0", "10", 1, 7, 0) + "," + kernelEvent("5", "10", 2, 7, 1) + "," +
                         kernelEvent("20", "10", 3, 7, 0)));
  CHECK(gapsIn(two.trace, {}).all.busy == 25'000);
  CHECK(gapsIn(two.trace, {}).streams.size() == 2);
  const TraceGaps first = gapsIn(two.trace, {.device = 0, .streams = {}, .range = {}});
  CHECK(first.all.busy == 20'000);
  CHECK(first.all.gapTime == 10'000);
  CHECK(gapsIn(two.trace, {.device = 1, .streams = {}, .range = {}}).all.busy == 10'000);
}

TEST_CASE("the instrument's own time in a gap is its cause") {
  const ImportedTrace read = imported(traceWith(
      kernelEvent("0", "10", 1) + "," + launchEvent("29", "1", 2) + "," + kernelEvent("31", "1", 2) +
      R"(,{"ph": "X", "cat": "overhead", "name": "Activity Buffer Request", "pid": -1, "tid": 0, "ts": 10, "dur": 18})"));
  const TraceGaps found = gapsIn(read.trace, {});
  REQUIRE(found.gaps.size() == 1);
  CHECK(found.gaps[0].instrument == 18'000);
  CHECK(found.gaps[0].cause == GapCause::Instrument);
}

TEST_CASE("the report says it in words and in JSON") {
  const GapsReport report = reportGaps("kineto-steps.json", steps(), {}, 2);
  const std::string table = gapsTable(report);
  CHECK_THAT(table,
             ContainsSubstring("recorded by PyTorch profiler (Kineto), not measured by Opscope; 25 events"));
  CHECK_THAT(table, ContainsSubstring("8 kernels on 2 streams, device 0 (Made-up GPU)"));
  CHECK_THAT(table, ContainsSubstring("busy 52.50 us of 137.0 us (38.3 %); 5 gaps, 84.50 us"));
  CHECK_THAT(table, ContainsSubstring("the 2 longest gaps"));
  CHECK_THAT(table, ContainsSubstring("1 of 8 kernels has no launch record"));
  const nlohmann::json json = nlohmann::json::parse(gapsJson(report));
  CHECK(json["union_ns"] == 52'501);
  CHECK(json["by_cause"][0]["cause"] == "no-launch-record");
  CHECK(json["by_stream"][1]["union_ns"] == 17'000);
  REQUIRE(json["longest"].size() == 2);
  CHECK(json["longest"][0]["length_ns"] == 50'375);
  CHECK(json["longest"][0]["before"] == "second");
  CHECK(json["launch_latency_ns"] == 9'500);
}

TEST_CASE("a trace without kernels says so, and so does a selection of none") {
  const ImportedTrace none = imported(traceWith(launchEvent("0", "1", 1)));
  CHECK_THROWS_AS(reportGaps("t.json", none, {}, 10), NoKernel);
  CHECK_THROWS_WITH(reportGaps("t.json", steps(), {.device = 3, .streams = {}, .range = {}}, 10),
                    ContainsSubstring("device 0 stream 7, device 0 stream 20"));
}
