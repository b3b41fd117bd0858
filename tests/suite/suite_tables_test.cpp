// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "session/synthetic.h"
#include "suite/suite_tables.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

SuiteRow rowOf(const std::string& implementation, double busyNs, double hostLate) {
  SuiteRow row;
  row.op = "norm";
  row.workload = "prefill";
  row.dtype = "float16";
  row.implementation = implementation;
  row.deviceName = "A GPU";
  row.figures = "GPU";
  row.method = "cupti";
  row.l2 = "clean";
  row.verification = "verified";
  row.busy = {10, busyNs, busyNs, busyNs, busyNs, busyNs, 0};
  row.latency = row.busy;
  row.kernelsMin = row.kernelsMax = 1;
  row.hostLateShare = hostLate;
  return row;
}

SuiteRow failedRow(const std::string& implementation, ErrorCode code) {
  SuiteRow row = rowOf(implementation, 0, 0);
  row.busy = {};
  row.failure = ErrorInfo{code, "It does not fit", "Choose less.", {}};
  return row;
}

SuiteResult mixed() {
  SuiteResult result;
  result.rows = {rowOf("fast", 1000, 0), rowOf("late", 2000, 0.25), failedRow("big", ErrorCode::OutOfMemory),
                 failedRow("huge", ErrorCode::OutOfMemory), failedRow("fp8", ErrorCode::NotSupported)};
  result.jobs = 4;
  result.done = 2;
  result.before = 1;
  return result;
}

}  // namespace

TEST_CASE("the tables of a suite: all rows, the slowest, the late host, reasons once") {
  const auto tables = suiteTables(mixed());
  REQUIRE(tables.size() == 5);
  CHECK(tables[0].title == "GPU figures of A GPU, method cupti, L2 clean");
  REQUIRE(tables[0].rows.size() == 5);
  CHECK(tables[0].rows[0].size() == tables[0].columns.size());
  CHECK(tables[0].rows[2].back() == "OutOfMemory");
  CHECK(tables[0].rows[4].back() == "not supported");
  CHECK(tables[1].rows[0] == std::vector<std::string>{"norm", "prefill", "float16", "late", "2.000 us"});
  REQUIRE(tables[2].rows.size() == 1);  // nobody else's host was late
  CHECK(tables[2].rows[0].back() == "25.0 %");
  REQUIRE(tables[3].rows.size() == 1);
  CHECK(tables[3].rows[0][3] == "big, huge");
  CHECK(tables[3].rows[0][4] == "OutOfMemory: It does not fit. Choose less.");
  CHECK(tables[4].rows[0][3] == "fp8");
}

TEST_CASE("efficiency has a column where the ceilings of the device are known") {
  SuiteResult result = mixed();
  const std::size_t columns = suiteTables(result)[0].columns.size();
  result.rows[1].efficiency = Efficiency{Bound::Memory, 4.0e12, 4.5e12, 0.875, {}};
  const FurtherTable table = suiteTables(result)[0];
  REQUIRE(table.columns.size() == columns + 1);
  CHECK(table.columns[columns - 1] == "efficiency");
  CHECK(table.rows[0][columns - 1] == "-");
  CHECK(table.rows[1][columns - 1] == "87.5 % memory");
  CHECK_THAT(suiteCsv(result.rows), ContainsSubstring(",memory,0.875,verified,"));
}

TEST_CASE("L2 has a column where jobs differ in it") {
  SuiteResult result = mixed();
  result.rows[1].l2 = "zero";
  const FurtherTable table = suiteTables(result)[0];
  CHECK(table.columns[4] == "L2");
  CHECK(table.rows[1][4] == "zero");
  CHECK_THAT(table.title, ContainsSubstring("L2 clean and zero"));
}

TEST_CASE("the sentences count, and say what is left") {
  SuiteResult result = mixed();
  result.interrupted = true;
  const auto sentences = suiteSentences(result, {"3 of tiny workloads"});
  REQUIRE(sentences.size() == 3);
  CHECK(sentences[0] ==
        "2 of 5 implementations measured in 2 jobs, 2 failed, 1 not supported; 1 job was in the session "
        "before, "
        "not measured again.");
  CHECK(sentences[1] == "Interrupted: 2 jobs are left. The same command goes on from there.");
  CHECK(sentences[2] == "Left out: 3 of tiny workloads.");
  CHECK(suiteTables({}).front().title == "Nothing has a number");
}

TEST_CASE("the CSV of a suite has every row, and no number after a failure") {
  const std::string csv = suiteCsv(mixed().rows);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 6);
  CHECK_THAT(csv,
             ContainsSubstring("norm,prefill,float16,,fast,measured,10,1000,1000,1000,1000,1,1,0,0,0,0,,,"
                               "verified,,,A GPU,GPU,cupti,clean,0\r\n"));
  CHECK_THAT(
      csv, ContainsSubstring(",big,failed,,,,,,,,,,,,,,verified,OutOfMemory,It does not fit. Choose less."));
  CHECK_THAT(csv, ContainsSubstring(",fp8,not supported,"));
  const std::string swept = suiteCsv({mixed().rows[0]}, "M", {"128"});
  CHECK(swept.starts_with("M,op,"));
  CHECK_THAT(swept, ContainsSubstring("\r\n128,norm,"));
}

TEST_CASE("a row of a run: the late host's share is of the latency of all iterations") {
  const Run run = syntheticRun();
  const auto rows = suiteRows(run, false);
  REQUIRE(rows.size() == run.implementations.size());
  Ns latency = 0, late = 0;
  for (const Pass* pass : run.passesOf(0)) {
    for (const Sample& sample : pass->samples) latency += sample.latency;
    for (const Gap& gap : pass->gaps)
      if (gap.cause == GapCause::HostLate) late += gap.end - gap.start;
  }
  REQUIRE(late > 0);
  CHECK(rows[0].hostLateShare == Catch::Approx(static_cast<double>(late) / static_cast<double>(latency)));
  CHECK(rows[0].measured());
  CHECK_FALSE(rows[1].measured());
  CHECK(rows[1].failure->code == ErrorCode::RecordsLost);
}
