// SPDX-License-Identifier: Apache-2.0
#include "import/nsight_reader.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "import/nsight_tables.h"
#include "import/trace_gaps.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"
#include "trace/measure.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

// Process 77, thread 78, and another process with the same correlation ids.
constexpr std::int64_t kPid = std::int64_t{77} << 24, kTid = kPid | 78;
constexpr std::int64_t kOtherPid = std::int64_t{99} << 24;

struct Export {
  Export() : database(folder / "report.sqlite", sqlite::Database::Mode::Create) {
    database.execute(kNsightTables);
  }
  void kernel(Ns start, Ns end, int stream, int correlation, int name, std::int64_t pid = kPid) {
    database
        .prepare(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
            "(?,?,0,1,?,?,?,?,2,40,4,5,6,128,2,1,1024,2048,NULL)")
        .run(start, end, stream, correlation, pid, name);
  }
  void call(Ns start, Ns end, int correlation, int name, std::int64_t tid = kTid) {
    database.prepare("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0)")
        .run(start, end, tid, correlation, name);
  }
  // What `opscope import` sees once the exporter is done.
  ImportedTrace read(const ImportOptions& options = {}) {
    return importTrace(folder / "report.sqlite", options);
  }

  TemporaryFolder folder;
  sqlite::Database database;
};

}  // namespace

TEST_CASE("an export of Nsight Systems is a trace like any other") {
  Export made;
  made.call(1'000, 5'000, 1, 3);
  made.call(6'000, 9'000, 2, 4);
  made.call(10'000, 14'000, 3, 3);
  made.call(15'000, 19'000, 4, 5);
  made.kernel(10'500, 30'751, 7, 1, 1);
  made.kernel(40'000, 45'000, 20, 3, 2);
  made.database.execute(
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (31000, 33000, 0, 1, 7, 2, 0, 4096, 1)");
  const ImportedTrace read = made.read();
  CHECK(looksLikeTrace(made.folder / "report.sqlite"));
  CHECK(read.tool == "Nsight Systems");
  CHECK(read.events == 7);
  CHECK(read.zeroUnixNs == 1'712'195'495'000'000'000);
  REQUIRE(read.devices.size() == 1);
  CHECK(read.devices[0].name == "Made-up GPU");
  CHECK(read.devices[0].architecture == "sm_90");
  const Trace& trace = read.trace;
  REQUIRE(trace.kernels.size() == 2);
  CHECK(trace.kernels[0].end == 30'751);
  CHECK(trace.names.text(trace.kernels[0].nameId) == "first<float>(float const*)");
  CHECK(trace.shapes[trace.kernels[0].shapeId] == LaunchShape{4, 5, 6, 128, 2, 1, 40, 1024, 2048});
  REQUIRE(trace.memops.size() == 1);
  CHECK(trace.memops[0].kind == MemopKind::CopyHtoD);
  CHECK(trace.memops[0].bytes == 4096);
  REQUIRE(trace.launches.size() == 3);  // without the one that waits
  CHECK(trace.launches[0].threadId == 78);
  CHECK(trace.launches[0].kind == LaunchKind::Kernel);
  CHECK(trace.launches[1].kind == LaunchKind::Copy);

  const TraceGaps found = gapsIn(trace, {});
  CHECK(found.all.busy == 25'251);
  REQUIRE(found.gaps.size() == 1);
  CHECK(found.gaps[0].length() == 9'249);
  CHECK(found.gaps[0].copy == 2'000);
  CHECK(found.gapsWithoutLaunch == 0);
}

TEST_CASE("processes of one export are told apart") {
  Export made;
  made.call(1'000, 2'000, 1, 3);
  made.call(5'000, 6'000, 1, 3, kOtherPid | 1);
  made.kernel(3'000, 4'000, 7, 1, 1);
  made.kernel(7'000, 8'000, 7, 1, 2, kOtherPid);
  const ImportedTrace read = made.read();
  CHECK(read.gaps.ambiguousLaunches == 0);
  CHECK(read.gaps.kernelsWithoutLaunch == 0);
  const Attribution attribution = groupByIteration(read.trace);
  CHECK(read.trace.launches[attribution.launchOf[1]].start == 5'000);
}

TEST_CASE("ranges of NVTX are iterations where they are asked for") {
  Export made;
  made.database.execute(
      "INSERT INTO NVTX_EVENTS VALUES (0, 10000, 59, NULL, 1291845710, 6), (10000, 20000, 59, 'step', "
      "1291845710, NULL),"
      "(0, 30000, 34, 'step', 1291845710, NULL), (5, NULL, 59, 'step', 1291845710, NULL)");
  REQUIRE(std::int64_t{1291845710} == kTid);
  made.call(1'000, 2'000, 1, 3);
  made.call(11'000, 12'000, 2, 3);
  made.kernel(3'000, 4'000, 7, 1, 1);
  made.kernel(13'000, 15'000, 7, 2, 2);
  ImportOptions options;
  options.iterations = "step";
  const ImportedTrace read = made.read(options);
  const std::vector<Sample> samples = measure(read.trace, groupByIteration(read.trace));
  REQUIRE(samples.size() == 2);
  CHECK(samples[0].busy == 1'000);
  CHECK(samples[1].busy == 2'000);
  CHECK(made.read().iterationNames.empty());
  CHECK(read.trace.ranges.empty());
  REQUIRE(made.read().trace.ranges.size() == 2);
  CHECK(made.read().trace.ranges[1].start == 10'000);
  CHECK(made.read().trace.ranges[1].end == 20'000);
}

TEST_CASE("an older exporter's tables are read as far as they go") {
  Export made;
  made.database.execute(R"sql(
    DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE NVTX_EVENTS; DROP TABLE TARGET_INFO_GPU;
    DROP TABLE TARGET_INFO_SESSION_START_TIME; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY;
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT, shortName INT);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 9, 0, 7, 1, 2))sql");
  const ImportedTrace read = made.read();
  REQUIRE(read.trace.kernels.size() == 1);
  CHECK(read.trace.names.text(read.trace.kernels[0].nameId) == "second");
  CHECK_FALSE(read.zeroUnixNs);
  made.database.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN streamId TO stream");
  CHECK_THROWS_WITH(made.read(),
                    ContainsSubstring("table CUPTI_ACTIVITY_KIND_KERNEL has no column streamId"));
}

TEST_CASE("a device is counted as its program counts it, and without a capability it has no architecture") {
  Export made;
  made.database.execute(R"sql(
    INSERT INTO TARGET_INFO_GPU VALUES (3, 'Another GPU', 8, 6);
    CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
    INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 10), (3, 0, 11))sql");
  const ImportedTrace read = made.read();
  REQUIRE(read.devices.size() == 1);
  CHECK(read.devices[0].id == 0);
  CHECK(read.devices[0].name == "Another GPU");
  CHECK(read.devices[0].architecture == "sm_86");

  made.database.execute("ALTER TABLE TARGET_INFO_GPU RENAME COLUMN computeMinor TO minor");
  const ImportedTrace without = made.read();
  REQUIRE(without.devices.size() == 1);
  CHECK(without.devices[0].architecture.empty());
}

TEST_CASE("a row that cannot be is refused with its number") {
  const auto refused = [](const std::string& sql, const char* why) {
    Export made;
    made.kernel(5, 9, 7, 1, 1);
    made.database.execute(sql);
    INFO(sql);
    CHECK_THROWS_AS(made.read(), BadInput);
    CHECK_THROWS_WITH(made.read(), ContainsSubstring(why) && ContainsSubstring("report.sqlite"));
  };
  refused(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 'x', end, deviceId, contextId, streamId, correlationId, "
      "globalPid, "
      "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 FROM CUPTI_ACTIVITY_KIND_KERNEL",
      "row 2 of table CUPTI_ACTIVITY_KIND_KERNEL");
  refused("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 4", "row 1 of table CUPTI_ACTIVITY_KIND_KERNEL");
  refused("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9000000000000000000", "row 1 of table");
  refused("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 4711", "no string 4711");
  refused("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 4294967296", "larger than any");
  refused("DROP TABLE StringIds", "no export of Nsight Systems");
}

TEST_CASE("another database is no export, and a session is no trace") {
  const TemporaryFolder folder;
  writeSession(folder / "s.opscope", {});
  CHECK_FALSE(looksLikeTrace(folder / "s.opscope"));
  CHECK_FALSE(looksLikeNsight(folder / "s.opscope"));
  {
    sqlite::Database other(folder / "o.sqlite", sqlite::Database::Mode::Create);
    other.execute("CREATE TABLE t (a)");
  }
  CHECK_THROWS_WITH(importTrace(folder / "o.sqlite"), ContainsSubstring("no export of Nsight Systems"));
  writeText(folder / "cut.sqlite", readText(folder / "o.sqlite").substr(0, 3000));
  CHECK_THROWS_AS(importTrace(folder / "cut.sqlite"), CannotRead);
}

TEST_CASE("a view in the place of a table is none, however long its query would run") {
  Export made;
  made.kernel(1'000, 2'000, 7, 1, 1);
  made.database.execute(
      "DROP TABLE NVTX_EVENTS;"
      "CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
      "SELECT i AS start, i AS \"end\", 59 AS eventType, 0 AS globalTid, 'x' AS text FROM n");
  CHECK(made.read().trace.kernels.size() == 1);
}
