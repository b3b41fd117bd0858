// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "import/import_trace.h"
#include "import/made_trace.h"
#include "import/trace_gaps.h"

using namespace opscope;
using namespace opscope::test;
namespace fs = std::filesystem;

namespace {

fs::path realTraces() {
  const char* folder = std::getenv("OPSCOPE_SHARED_DATA");
  return (folder != nullptr ? fs::path(folder) : fs::path(OPSCOPE_SOURCE_DIR) / ".." / "shared" / "data") /
         "traces";
}

// Holds every row of the folder's expected.csv against what its trace gives; returns how many there were.
std::size_t holdRows(const fs::path& folder) {
  std::ifstream table(folder / "expected.csv");
  std::string line;
  std::getline(table, line);
  REQUIRE(line ==
          "file,events,kernels,streams,sum_ns,union_ns,gaps,gap_ns,launch_after_gap_start,"
          "launch_after_gap_start_gap_ns,gaps_without_launch_record");
  std::size_t rows = 0;
  while (std::getline(table, line)) {
    if (line.empty()) continue;
    std::istringstream fields(line);
    std::string file;
    std::getline(fields, file, ',');
    const auto next = [&fields] {
      std::string field;
      std::getline(fields, field, ',');
      return std::stoll(field);
    };
    const ImportedTrace trace = importTrace(folder / file);
    const TraceGaps found = gapsIn(trace.trace, {});
    INFO(file);
    CHECK(static_cast<long long>(trace.events) == next());
    CHECK(static_cast<long long>(found.all.kernels) == next());
    CHECK(static_cast<long long>(found.streams.size()) == next());
    CHECK(found.all.sum == next());
    CHECK(found.all.busy == next());
    CHECK(static_cast<long long>(found.gaps.size()) == next());
    CHECK(found.all.gapTime == next());
    CHECK(static_cast<long long>(found.lateGaps) == next());
    CHECK(found.lateGapTime == next());
    CHECK(static_cast<long long>(found.gapsWithoutLaunch) == next());
    ++rows;
  }
  return rows;
}

}  // namespace

TEST_CASE("traces made by hand give what was worked out by hand") {
  CHECK(holdRows(madeTrace("")) == 2);
}

TEST_CASE("real traces give what an exact reading of them must give") {
  if (!fs::exists(realTraces() / "expected.csv"))
    SKIP("the real traces are not here; set OPSCOPE_SHARED_DATA");
  CHECK(holdRows(realTraces()) == 7);
}
