// SPDX-License-Identifier: Apache-2.0
#include "import/imported_run.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "import/made_trace.h"
#include "session/export.h"
#include "session/imported.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a trace becomes a run that says it was imported") {
  const auto runs = importedRuns(importTrace(madeTrace("kineto-steps.json")), "kineto-steps.json");
  REQUIRE(runs.size() == 1);
  const Run& run = *runs[0];
  CHECK(isImported(run));
  CHECK(run.method == "PyTorch profiler (Kineto)");
  CHECK(run.deviceName == "Made-up GPU");
  CHECK(run.environment.at("architecture") == "sm_80");
  CHECK(run.workload == "kineto-steps.json");
  CHECK(run.startedUnixNs == 1'712'195'495'000'000'000);
  REQUIRE(run.implementations.size() == 1);
  CHECK(run.implementations[0].verification.state == VerificationRecord::State::NotChecked);
  CHECK(run.implementations[0].busy.n == 2);
  CHECK_FALSE(run.comparison);
  REQUIRE(run.passes.size() == 1);
  CHECK(run.passes[0]->samples[0].busy == 34'501);
  CHECK_FALSE(run.passes[0]->trace.dropped.proven);
  REQUIRE(run.findings.size() == 2);
  CHECK_THAT(run.findings[0].sentence, ContainsSubstring("no launch record"));

  const std::string table = runsTable(runs);
  CHECK_THAT(table, ContainsSubstring(
                        "imported from a trace of PyTorch profiler (Kineto), not measured by Opscope"));
  CHECK_THAT(table, ContainsSubstring("iterations: 2: ProfilerStep#7 to ProfilerStep#8"));
  CHECK(table.find("measured on") == std::string::npos);
  CHECK(table.find("seed") == std::string::npos);
}

TEST_CASE("an imported run is a session like any other") {
  const TemporaryFolder folder;
  const auto runs = importedRuns(importTrace(madeTrace("kineto-steps.json")), "kineto-steps.json");
  writeSession(folder / "t.opscope", runs);
  const Session session = readSession(folder / "t.opscope");
  REQUIRE(session.runs.size() == 1);
  CHECK(dump(*session.runs[0]) == dump(*runs[0]));
  CHECK(runsTable(session.runs) == runsTable(runs));
}

TEST_CASE("each device that ran a kernel has a run of its own") {
  const auto runs = importedRuns(
      imported(traceWith(kernelEvent("1", "10", 1, 7, 0) + "," + kernelEvent("5", "4", 2, 7, 3))),
      "two.json");
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]->passes[0]->samples[0].busy == 10'000);
  CHECK(runs[1]->deviceId == "device 3");
  CHECK(runs[1]->passes[0]->samples[0].busy == 4'000);
}

TEST_CASE("a step in which a device ran nothing has no busy time, not one of 0") {
  const auto runs = importedRuns(
      imported(traceWith(
          stepEvent("ProfilerStep#1", "0", "10") + "," + stepEvent("ProfilerStep#2", "10", "10") + "," +
          stepEvent("ProfilerStep#3", "20", "10") + "," + launchEvent("1", "1", 1) + "," +
          launchEvent("21", "1", 2) + "," + kernelEvent("2", "3", 1) + "," + kernelEvent("23", "5", 2))),
      "t.json");
  const Pass& pass = *runs[0]->passes[0];
  REQUIRE(pass.samples.size() == 2);
  CHECK(pass.samples[0].busy == 3'000);
  CHECK(pass.samples[1].busy == 5'000);
  CHECK(pass.trace.iterations[1].called == 20'000);
  CHECK(runs[0]->implementations[0].kernelsMin == 1);
}

TEST_CASE("a trace without kernels is no run") {
  CHECK_THROWS_AS(importedRuns(imported("[]"), "t.json"), NoKernel);
}
