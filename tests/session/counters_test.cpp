// SPDX-License-Identifier: Apache-2.0
// What the counters said, from a reading to every place where it is shown and kept.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "session/export.h"
#include "session/memory_traffic.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

MemoryTraffic traffic(std::int64_t read, std::int64_t written, std::int64_t l2 = 0, Ns profiled = 0) {
  return {.dramRead = read, .dramWritten = written, .l2 = l2, .profiled = profiled};
}

// Two kernels, three calls: reads 10+1, 30+3, 20+2; writes 5+0, 4+0, 9+0.
CounterReading reading() {
  return {.l2 = "clean",
          .l2Bytes = 1000,
          .copies = 0,
          .kernels = {"first", "second"},
          .calls = {{traffic(10, 5, 100, 7), traffic(1, 0, 10, 1)},
                    {traffic(30, 4, 300, 9), traffic(3, 0, 30, 2)},
                    {traffic(20, 9, 200, 8), traffic(2, 0, 20, 3)}}};
}

}  // namespace

TEST_CASE("a call's traffic is the sum over its kernels, then the median over the calls") {
  CHECK(medianCall(reading()) == traffic(22, 5, 220, 11));
  CHECK(medianCall({}) == MemoryTraffic{});
  const auto kernels = medianKernels(reading());
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name == "first");
  CHECK(kernels[0].traffic == traffic(20, 5, 200, 8));
  CHECK(kernels[1].name == "second");
  CHECK(kernels[1].traffic == traffic(2, 0, 20, 2));
}

TEST_CASE("calls that launch different numbers of kernels have a sum and no kernels") {
  CounterReading uneven = reading();
  uneven.calls[1].push_back(traffic(0, 100));
  CHECK(medianKernels(uneven).empty());
  CHECK(medianCall(uneven).dramWritten == 9);
  CHECK(partName(uneven, 2, 3) == "part 3 of 3");
  CHECK(partName(uneven, 1, 2) == "second");
}

TEST_CASE("what was counted as a whole is not called by one kernel's name") {
  CounterReading whole = reading();
  whole.together = true;
  whole.calls = {{traffic(7, 8)}};
  REQUIRE(medianKernels(whole).size() == 1);
  CHECK(medianKernels(whole)[0].name == "all 2 kernels");
}

TEST_CASE("claimed over moved needs a claim, a reading and a movement") {
  Run run;
  run.bytes = 54;
  ImplementationResult result;
  CHECK_FALSE(claimedOverMoved(run, result));
  result.counters = reading();
  CHECK(claimedOverMoved(run, result) == 2.0);
  result.counters->calls.clear();
  CHECK_FALSE(claimedOverMoved(run, result));
  result.counters = reading();
  run.bytes = 0;
  CHECK_FALSE(claimedOverMoved(run, result));
}

TEST_CASE("counters reach the tables, the CSV and the JSON, and so does why there are none") {
  auto run = std::make_shared<Run>(syntheticRun());
  run->implementations[0].counters->calls.erase(run->implementations[0].counters->calls.begin() + 1);
  const Runs runs{run};
  // 16 + 2 and 18 + 1 MB read, 0.501 and 0.703 MB written: 18.501 and 19.703 MB, of 33.56 claimed.
  const std::string table = runsTable(runs);
  CHECK_THAT(table, ContainsSubstring(
                        "memory moved in a call, by the device's counters (medians of 2 calls, L2 clean"));
  CHECK_THAT(table, ContainsSubstring("33.56"));
  CHECK_THAT(table, ContainsSubstring("19.1"));
  CHECK_THAT(table, ContainsSubstring("1.757"));
  CHECK_THAT(table, ContainsSubstring("scale"));
  CHECK_THAT(table, ContainsSubstring("DeviceUnavailable: the counters may not be read"));
  CHECK_THAT(runsMarkdown(runs), ContainsSubstring("claimed/DRAM"));

  const std::string csv = countersCsv(runs);
  CHECK_THAT(csv, ContainsSubstring(
                      "one|pass,33562624,0,1,scale,2000000,500000,8000000,3000,kernel,1,,clean,62914560"));
  CHECK_THAT(csv, ContainsSubstring("eager,33562624,,,,,,,,,,\"DeviceUnavailable"));

  const auto json = nlohmann::json::parse(runsJson(runs));
  const auto& counters = json["runs"][0]["implementations"][0]["counters"];
  CHECK(counters["call_median"]["dram_read_bytes"] == 18'500'000);
  CHECK(counters["kernel_medians"][1]["name"] == "scale");
  CHECK(counters["kernel_medians"][1]["dram_written_bytes"] == 600'000);
  CHECK(counters["counted_as"] == "kernel");
}

TEST_CASE("a run that nobody asked to count shows nothing of counters") {
  auto run = std::make_shared<Run>(syntheticRun());
  for (ImplementationResult& result : run->implementations) {
    result.counters.reset();
    result.countersRefused.reset();
  }
  CHECK(countersCsv({run}).empty());
  CHECK(runsTable({run}).find("counters") == std::string::npos);
  CHECK(runsJson({run}).find("\"counters\"") == std::string::npos);
  const TemporaryFolder folder;
  for (const auto& path : writeCsvSet(folder / "csv", {run})) CHECK(path.filename() != "counters.csv");
}

TEST_CASE("after a failure no counter of the implementation is shown") {
  auto run = std::make_shared<Run>(syntheticRun());
  run->implementations[0].failure = ErrorInfo{ErrorCode::NoKernel, "none", "", {}};
  CHECK(countersCsv({run}).find("one|pass") == std::string::npos);
  CHECK(runsTable({run}).find("medians of") == std::string::npos);
}

TEST_CASE("a session from before counters is read, and damaged counters are refused") {
  const TemporaryFolder folder;
  const auto file = folder / "s.opscope";
  writeSession(file, {std::make_shared<Run>(syntheticRun())});
  const auto change = [&](const std::string& sql) {
    sqlite::Database(file, sqlite::Database::Mode::ReadWrite).execute(sql);
  };
  SECTION("without the tables") {
    change(
        "DROP TABLE counter; DROP TABLE counter_kernel; DROP TABLE counter_reading; DROP TABLE "
        "counter_refusal");
    const Session session = readSession(file);
    CHECK_FALSE(session.runs.at(0)->implementations[0].counters);
    CHECK_FALSE(session.runs.at(0)->implementations[1].countersRefused);
    CHECK(session.runs.at(0)->implementations[0].hasNumber());
  }
  SECTION("to which a run with counters is added") {
    change(
        "DROP TABLE counter; DROP TABLE counter_kernel; DROP TABLE counter_reading; DROP TABLE "
        "counter_refusal");
    change("PRAGMA user_version = 1");
    SessionWriter writer(file);
    writer.addRun(syntheticRun());
    writer.close();
    const Session session = readSession(file);
    CHECK_FALSE(session.runs.at(0)->implementations[0].counters);
    CHECK(session.runs.at(1)->implementations[0].counters == syntheticRun().implementations[0].counters);
  }
  SECTION("a reading of no implementation") {
    change("UPDATE counter_reading SET implementation = 7");
    CHECK_THROWS_AS(readSession(file), CannotRead);
  }
  SECTION("a call that was not counted") {
    change("UPDATE counter SET call = 3 WHERE call = 2");
    CHECK_THROWS_AS(readSession(file), CannotRead);
  }
  SECTION("a kernel that is missing") {
    change("DELETE FROM counter WHERE idx = 0 AND call = 0");
    CHECK_THROWS_AS(readSession(file), CannotRead);
  }
  SECTION("a number of calls that cannot be") {
    change("UPDATE counter_reading SET calls = -1");
    CHECK_THROWS_AS(readSession(file), CannotRead);
  }
}
