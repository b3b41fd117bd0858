// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "ops/op_spec.h"
#include "suite/axis.h"
#include "suite/small_catalogue.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Sizes = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("an axis is a range by a factor, by a step, or a list") {
  CHECK(parseAxis("M=128:1024:2x").dim == "M");
  CHECK(parseAxis("M=128:1024:2x").sizes == Sizes{128, 256, 512, 1024});
  CHECK(parseAxis("M=3:100:4x").sizes == Sizes{3, 12, 48});  // 192 lies beyond
  CHECK(parseAxis("M=128:400:+128").sizes == Sizes{128, 256, 384});
  CHECK(parseAxis("rows=5:5:+1").sizes == Sizes{5});
  CHECK(parseAxis("M=64,3000,100").sizes == Sizes{64, 3000, 100});
  CHECK(parseAxis("M=7").sizes == Sizes{7});
  const std::string largest = std::to_string(kLargestDim);
  CHECK(parseAxis("M=1:" + largest + ":" + largest + "x").sizes == Sizes{1, kLargestDim});
  CHECK(parseAxis("M=1:1000:+1").sizes.size() == kMostPoints);
}

TEST_CASE("an axis that is none is said, with the forms there are") {
  for (const char* bad : {"",
                          "M",
                          "=1:2:2x",
                          "M=",
                          "M=1:2",
                          "M=1:2:3",
                          "M=1:8:1x",
                          "M=1:8:+0",
                          "M=8:1:2x",
                          "M=0:8:2x",
                          "M=-1",
                          "M=1,,2",
                          "M=1,1",
                          "M=1:8:2x:4",
                          "M=1:8:+2x",
                          "M=1:8:x",
                          "M=1:8:+",
                          "M=a",
                          "M=1.5",
                          "M=1:1001:+1",
                          "M=99999999999999999999",
                          "M=1:2199023255552:2x"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(parseAxis(bad), BadInput);
  }
  try {
    parseAxis("M=1:2:3");
  } catch (const BadInput& error) {
    CHECK_THAT(error.what(), ContainsSubstring("'3'") && ContainsSubstring("FROM:TO:2x"));
  }
}

TEST_CASE("a sweep is a job per size, the rest of the shape from the workload") {
  Job base;
  base.op = "norm";
  base.dims = {{"N", 9}};
  const auto points = planSweep(smallCatalogue(), "host", base, parseAxis("M=2,4"));
  REQUIRE(points.size() == 2);
  CHECK(points[1].job.workload == "prefill");
  CHECK(points[1].job.dtype == "bfloat16");
  CHECK(points[1].job.dims == std::map<std::string, std::int64_t>{{"M", 4}, {"N", 9}});
  CHECK(points[1].dims == std::map<std::string, std::int64_t>{{"M", 4}, {"N", 9}});
  CHECK(points[1].implementations == std::vector<std::string>{"one-pass", "eager"});
  base.dtype = "fp32";
  CHECK(planSweep(smallCatalogue(), "host", base, parseAxis("M=2"))[0].job.dtype == "float32");
  CHECK_THROWS_AS(planSweep(smallCatalogue(), "host", base, parseAxis("K=2")), UnknownName);
  base.op = "gemmm";
  CHECK_THROWS_AS(planSweep(smallCatalogue(), "host", base, parseAxis("M=2")), UnknownName);
}

TEST_CASE("the table of a sweep has the size first, and a reason where there is no number") {
  SuiteRow row;
  row.op = "norm";
  row.dtype = "float16";
  row.dims = {{"M", 128}, {"N", 9}};
  row.implementation = "eager";
  row.deviceName = "A GPU";
  row.busy = row.latency = {10, 2000, 2000, 2000, 2000, 2000, 0};
  SuiteResult result;
  result.rows = {row, row};
  result.rows[1].dims["M"] = 256;
  result.rows[1].busy = {};
  result.rows[1].failure = ErrorInfo{ErrorCode::OutOfMemory, "It does not fit", "", {}};
  const Axis axis = parseAxis("M=128,256");
  const FurtherTable table = sweepTable(result, axis);
  CHECK_THAT(table.title, ContainsSubstring("norm float16 N=9 over M"));
  CHECK(table.columns[0] == "M");
  CHECK(table.rows[0][0] == "128");
  CHECK(table.rows[0][2] == "2.000 us");
  CHECK(table.rows[1] == std::vector<std::string>{"256", "eager", "OutOfMemory: It does not fit"});
  const std::string csv = sweepCsv(result, axis);
  CHECK(csv.starts_with("M,op,"));
  CHECK_THAT(csv, ContainsSubstring("\r\n256,norm,"));
}
