// SPDX-License-Identifier: Apache-2.0
#include "import/import_trace.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "import/made_trace.h"
#include "session/synthetic.h"
#include "trace/measure.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("kernels, copies and launches are read with everything the trace says of them") {
  const ImportedTrace read = importTrace(madeTrace("kineto-steps.json"));
  CHECK(read.tool == "PyTorch profiler (Kineto)");
  CHECK(read.events == 25);
  REQUIRE(read.devices.size() == 1);
  CHECK(read.devices[0].name == "Made-up GPU");
  const Trace& trace = read.trace;
  REQUIRE(trace.kernels.size() == 8);
  const KernelRecord& first = trace.kernels[0];
  CHECK(first.start == 1'712'195'495'000'010'500);
  CHECK(first.end == 1'712'195'495'000'030'750);
  CHECK(first.correlationId == 1);
  CHECK(first.streamId == 7);
  CHECK(first.deviceId == 0);
  CHECK(first.queued == 0);
  CHECK(trace.names.text(first.nameId) == "first<float, 4>(float const*)");
  const LaunchShape& shape = trace.shapes[first.shapeId];
  CHECK(shape == LaunchShape{4, 106, 1, 128, 1, 1, 30, 0, 0});  // "shared memory" does not say which kind
  CHECK(trace.kernels[6].graphId == 3);
  CHECK(trace.kernels[6].graphNodeId == 12);
  REQUIRE(trace.memops.size() == 1);
  CHECK(trace.memops[0].kind == MemopKind::CopyHtoD);
  CHECK(trace.memops[0].bytes == 92928);
  // cudaDeviceSynchronize launched nothing and answers nothing.
  REQUIRE(trace.launches.size() == 7);
  CHECK(trace.names.text(trace.launches[2].apiNameId) == "cuLaunchKernelEx");
  CHECK(trace.launches[2].threadId == 11);
  CHECK(trace.launches[4].kind == LaunchKind::Copy);
  CHECK(trace.launches[6].kind == LaunchKind::Graph);
  CHECK(read.gaps.kernelsWithoutLaunch == 1);
  CHECK(read.gaps.kernelsOutside == 1);
  CHECK(read.gaps.launchesWithoutWork == 0);
}

TEST_CASE("profiler steps are the iterations, by the launch of each kernel") {
  const ImportedTrace read = importTrace(madeTrace("kineto-steps.json"));
  CHECK(read.iterationNames == std::vector<std::string>{"ProfilerStep#7", "ProfilerStep#8"});
  const Attribution attribution = groupByIteration(read.trace);
  const std::vector<Sample> samples = measure(read.trace, attribution);
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].kernels == 4);
  CHECK(samples[0].busy == 34'501);
  CHECK(samples[0].latency == 54'625);
  CHECK(samples[1].kernels == 3);  // without the one that nobody is known to have launched
  CHECK(samples[1].busy == 16'000);
  CHECK(samples[1].latency == 32'000);
  CHECK(samples[1].memops == 1);
  // A step ends on the host at 100 us; the device is done with it before, and with the second at 200.
  CHECK(read.trace.iterations[0].called == 1'712'195'495'000'000'000);
  CHECK(read.trace.iterations[0].drained == 1'712'195'495'000'100'000);
}

TEST_CASE("old traces are read in their spelling") {
  const ImportedTrace read = importTrace(madeTrace("kineto-old.json"));
  REQUIRE(read.trace.kernels.size() == 2);
  CHECK(read.trace.kernels[0].streamId == 7);  // from "stream 7": there is no other word of it
  CHECK(read.trace.kernels[0].correlationId == 11);
  REQUIRE(read.trace.memops.size() == 1);
  CHECK(read.trace.memops[0].kind == MemopKind::Set);
  REQUIRE(read.trace.launches.size() == 2);
  CHECK(read.trace.launches[0].threadId == 99);
  CHECK(read.gaps.kernelsWithoutLaunch == 0);
  CHECK(read.iterationNames.empty());
  CHECK(read.trace.iterations.size() == 1);
}

TEST_CASE("a compressed trace is the same trace") {
  const std::string text = readText(madeTrace("kineto-steps.json"));
  const ImportedTrace plain = imported(text), small = imported(gzipped(text));
  CHECK(small.events == plain.events);
  REQUIRE(small.trace.kernels.size() == plain.trace.kernels.size());
  CHECK(small.trace.kernels[3].start == plain.trace.kernels[3].start);
  // Two members in one file are one text.
  CHECK(imported(gzipped(text.substr(0, 1000)) + gzipped(text.substr(1000))).events == plain.events);
}

TEST_CASE("members stand in any order, and names have escapes") {
  const ImportedTrace read = imported(
      R"([{"args": {"stream": 3, "correlation": 5, "device": 1}, "dur": 2.5, "ts": 1, "name": "a\"\u00e4<\\>",
           "tid": 3, "pid": 1, "cat": "kernel", "ph": "X"}])");
  REQUIRE(read.trace.kernels.size() == 1);
  CHECK(read.trace.names.text(read.trace.kernels[0].nameId) == "a\"\xc3\xa4<\\>");
  CHECK(read.trace.kernels[0].streamId == 3);
  CHECK(read.trace.kernels[0].deviceId == 1);
  CHECK(read.trace.kernels[0].correlationId == 5);
  CHECK(read.trace.kernels[0].end == 3'500);
  CHECK(read.tool == "an unknown program (Chrome trace)");
  CHECK_FALSE(read.zeroUnixNs);
}

TEST_CASE("an id that several launches carry joins nothing") {
  const ImportedTrace read = imported(traceWith(
      launchEvent("1", "1", 5, 10) + "," + launchEvent("2", "1", 5, 20) + "," + launchEvent("2", "1", 6, 20) +
      "," + kernelEvent("9", "1", 5) + "," + kernelEvent("11", "1", 6)));
  CHECK(read.gaps.ambiguousLaunches == 2);
  CHECK(read.gaps.kernelsWithoutLaunch == 1);
  CHECK(read.trace.launches.size() == 1);
  // One of them says by its name that it launches: the other is something else with the same number.
  const ImportedTrace named = imported(traceWith(launchEvent("1", "1", 5, 10, "cudaEventRecord") + "," +
                                                 launchEvent("2", "1", 5) + "," + kernelEvent("9", "1", 5)));
  CHECK(named.gaps.ambiguousLaunches == 0);
  REQUIRE(named.trace.launches.size() == 1);
  CHECK(named.trace.launches[0].kind == LaunchKind::Kernel);
}

TEST_CASE("a kernel without an id gets one that joins it with nothing") {
  const ImportedTrace read =
      imported(traceWith(launchEvent("1", "1", 1) + "," + launchEvent("3", "1", 2) +
                         R"(,{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":5,"dur":1,"args":{}},)"
                         R"({"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":7,"dur":1},)" +
                         kernelEvent("9", "1", 2)));
  CHECK(read.gaps.kernelsWithoutCorrelation == 2);
  CHECK(read.gaps.kernelsWithoutLaunch == 2);
  CHECK(read.gaps.launchesWithoutWork == 1);
  CHECK(read.trace.kernels[0].correlationId == 3);
  CHECK(read.trace.kernels[1].correlationId == 4);
  // All of them are in the one iteration all the same.
  CHECK(measure(read.trace, groupByIteration(read.trace))[0].kernels == 3);
}

TEST_CASE("other annotations are the iterations where they are asked for") {
  const std::string text = traceWith(
      stepEvent("train", "0", "10") + "," + stepEvent("train", "2", "3") + "," +
      stepEvent("train", "20", "10") + "," + stepEvent("train", "20", "10", 11) + "," +
      launchEvent("4", "1", 1) + "," + launchEvent("22", "1", 2) + "," + launchEvent("12", "1", 3) + "," +
      kernelEvent("5", "1", 1) + "," + kernelEvent("23", "1", 2) + "," + kernelEvent("13", "1", 3));
  ImportOptions options;
  options.iterations = "train";
  const ImportedTrace read = imported(text, options);
  // The one inside another is a part of it; the one of another process launched nothing.
  CHECK(read.iterationNames.size() == 3);
  const std::vector<Sample> samples = measure(read.trace, groupByIteration(read.trace));
  CHECK(samples[0].kernels == 1);
  CHECK(samples[1].kernels + samples[2].kernels == 1);
  CHECK(read.gaps.kernelsOutside == 1);
  CHECK(imported(text).iterationNames.empty());
  // What is no iteration is a range of the host's.
  REQUIRE(read.trace.ranges.size() == 1);
  CHECK(read.trace.ranges[0].start == 2'000);
  CHECK(read.trace.ranges[0].end == 5'000);
  CHECK(read.trace.ranges[0].threadId == 1);
  CHECK(imported(text).trace.ranges.size() == 4);
}

TEST_CASE("steps without launch records leave the trace whole") {
  const ImportedTrace read =
      imported(traceWith(stepEvent("ProfilerStep#1", "0", "10") + "," + kernelEvent("5", "1", 1)));
  CHECK(read.iterationNames.empty());
  CHECK(read.trace.iterations.size() == 1);
  CHECK(read.gaps.kernelsOutside == 0);
}

TEST_CASE("the wall time is what the file says of its clock") {
  CHECK(imported(R"({"schemaVersion": 1, "baseTimeNanoseconds": 1727743122000000000, "traceEvents": []})")
            .zeroUnixNs == 1'727'743'122'000'000'000);
  CHECK(imported(R"({"schemaVersion": 1, "traceEvents": []})").zeroUnixNs == 0);
  CHECK_FALSE(imported(R"({"traceEvents": []})").zeroUnixNs);
}

TEST_CASE("an import tells how far it is, and can be stopped") {
  std::string events;
  for (int i = 0; i < 20'000; ++i) events += (i == 0 ? "" : ",") + kernelEvent(std::to_string(i), "1", i);
  const std::string text = traceWith(events);
  ImportOptions options;
  std::uint64_t last = 0, calls = 0;
  options.progress = [&](const ImportProgress& progress) {
    CHECK(progress.bytesRead >= last);
    CHECK(progress.bytesTotal == text.size());
    last = progress.bytesRead;
    ++calls;
  };
  CHECK(imported(text, options).events == 20'000);
  CHECK(calls > 2);
  CHECK(last == text.size());

  std::stop_source stop;
  options.progress = [&](const ImportProgress&) { stop.request_stop(); };
  options.stop = stop.get_token();
  CHECK_THROWS_AS(imported(text, options), Cancelled);
}
