// SPDX-License-Identifier: Apache-2.0
// What format 2 added: evidence, device limits and users; and sessions of format 1, which have none of it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "session/export.h"
#include "session/schema.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"
#include "session/telemetry_text.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

void forgetControls(Run& run) {
  run.controls.clear();
  for (ImplementationResult& result : run.implementations) {
    result.prequeued.reset();
    result.tracingCost.reset();
    result.methods.clear();
  }
}

// A session of format 1: without the tables that came later.
fs::path oldSession(const TemporaryFolder& folder) {
  const fs::path file = folder / "old.opscope";
  Run run = syntheticRun();
  forgetControls(run);
  writeSession(file, {std::make_shared<Run>(run)});
  sqlite::Database db(file, sqlite::Database::Mode::ReadWrite);
  for (const char* table : {"device_limit", "finding_evidence", "device_use", "device_process",
                            "control_pass", "prequeued", "prequeued_gap", "tracing_cost", "method"})
    db.execute(std::string("DROP TABLE ") + table);
  db.execute("PRAGMA user_version = 1");
  return file;
}

Run withoutNews() {
  Run run = syntheticRun();
  forgetControls(run);
  run.memoryBytesPerSecond = 0;
  for (Finding& finding : run.findings) finding.evidence.clear();
  for (auto& pass : run.passes) {
    auto old = std::make_shared<Pass>(*pass);
    old->use.reset();
    pass = old;
  }
  return run;
}

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a session of format 1 is read, without what came later") {
  const TemporaryFolder folder;
  const Session session = readSession(oldSession(folder));
  REQUIRE(session.runs.size() == 1);
  CHECK(dump(*session.runs[0]) == dump(withoutNews()));
}

TEST_CASE("a run that is added to a session of format 1 brings its tables along") {
  const TemporaryFolder folder;
  const fs::path file = oldSession(folder);
  SessionWriter writer(file);
  writer.addRun(syntheticRun());
  writer.close();
  sqlite::Database db(file, sqlite::Database::Mode::ReadOnly);
  CHECK(sessionVersionOf(db) == kSessionVersion);
  const Session session = readSession(file);
  REQUIRE(session.runs.size() == 2);
  CHECK(dump(*session.runs[0]) == dump(withoutNews()));
  CHECK(dump(*session.runs[1]) == dump(syntheticRun()));
}

TEST_CASE("evidence of a finding that is not there is damage") {
  const TemporaryFolder folder;
  const fs::path file = folder / "s.opscope";
  writeSession(file, {std::make_shared<Run>(syntheticRun())});
  {
    sqlite::Database db(file, sqlite::Database::Mode::ReadWrite);
    db.execute("UPDATE finding_evidence SET finding = 99 WHERE idx = 0");
  }
  CHECK_THROWS_AS(readSession(file), CannotRead);
}

TEST_CASE("JSON has the evidence, the summary of the sensors and the users of the device") {
  const auto json = nlohmann::json::parse(runsJson({std::make_shared<Run>(syntheticRun())}));
  const auto& run = json["runs"][0];
  CHECK(run["memory_bytes_per_s"] == 4.814e12);
  const auto& evidence = run["findings"][0]["evidence"];
  CHECK(evidence[0] == nlohmann::json{{"name", "gaps"}, {"value", 2.0}, {"unit", "count"}});
  CHECK(evidence[2] == nlohmann::json{{"name", "cause"}, {"text", "host-late, \"said\""}});
  CHECK(run["findings"][1]["evidence"].empty());
  const auto& pass = run["passes"][0];
  CHECK(pass["telemetry_summary"]["readings"] == 2);
  CHECK(pass["telemetry_summary"]["sm_clock_mhz"]["low"] == 1755);
  CHECK(pass["telemetry_summary"]["hottest_c"] == 38);
  CHECK(pass["telemetry_summary"]["throttle_reasons"][0] == "reason 0x8000000000000000");
  CHECK(pass["device_use"]["own_pid"] == 12);
  CHECK(pass["device_use"]["other_busy_processes"] == 1);
  CHECK(pass["device_use"]["processes"][1]["sm_percent"].is_null());
  CHECK(pass["samples"]["n_memops"] == nlohmann::json{1, 1});
  CHECK(pass["samples"]["memop_time_ns"] == nlohmann::json{100, 100});
}

TEST_CASE("the CSV of passes has a row per pass, and no figure of a pass that failed") {
  const auto lines = linesOf(passesCsv({std::make_shared<Run>(syntheticRun())}));
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], ContainsSubstring("run,op,workload,dtype,implementation,block,pass,position,n,busy"));
  // Two iterations of 12 us busy, 15 us latency, 2 kernels and a copy of 100 ns.
  CHECK_THAT(lines[1], ContainsSubstring(",one|pass,1,0,1,2,12000,15000,2,1,100,11,2,"));
  CHECK_THAT(lines[1], ContainsSubstring(",2,1755,1980,1980,2619,2619,2619,38,132500,132500,132500,"));
  CHECK_THAT(lines[1], ContainsSubstring(",2,1,1,,NVIDIA H200,GPU,"));
  CHECK_THAT(lines[2], ContainsSubstring(",eager,1,1,2,,,,,,,11,"));
  CHECK_THAT(lines[2], ContainsSubstring("RecordsLost"));
}

TEST_CASE("the CSV of readings has all of them") {
  const auto lines = linesOf(telemetryCsv({std::make_shared<Run>(syntheticRun())}));
  REQUIRE(lines.size() == 7);
  CHECK_THAT(lines[1],
             ContainsSubstring(",1980,2619,38,132500,9223372036854775808,reason 0x8000000000000000"));
  CHECK_THAT(lines[2], ContainsSubstring(",1755,,,,,,NVIDIA H200"));
}

TEST_CASE("clocks that differ between passes stand one by one, in their order") {
  std::vector<Pass> passes(3);
  std::vector<const Pass*> all;
  for (std::size_t p = 0; p < passes.size(); ++p) {
    passes[p].telemetry = {{.at = 1, .smClockMhz = p == 1 ? 1755 : 1980, .throttleReasons = 0x1}};
    all.push_back(&passes[p]);
  }
  CHECK(telemetryText(all) == "SM clock by pass 1980, 1755, 1980 MHz, clocks held down by: none");
  passes[1].telemetry[0].smClockMhz = 1980;
  passes[2].telemetry[0].throttleReasons = 0x4;
  CHECK(telemetryText(all) == "SM clock 1980 MHz, clocks held down by: power limit");
  CHECK(telemetryText({}).empty());
  const Pass none;
  CHECK(telemetryText({&none}).empty());
}
