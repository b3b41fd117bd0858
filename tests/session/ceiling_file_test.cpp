// SPDX-License-Identifier: Apache-2.0
#include "session/ceiling_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "session/gated_runs.h"
#include "session/sqlite.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

CeilingPoint point(CeilingPoint::Kind kind, const std::string& op, const std::string& dtype, double perSecond,
                   std::optional<double> clock) {
  return {kind, op, "n=1", dtype, "vectorised", "clean", 1'000.5, perSecond, clock};
}

CeilingRecord recordOfGpu() {
  CeilingRecord record;
  record.device = "GPU-1234";
  record.deviceName = "NVIDIA H200";
  record.measuredUnixNs = 1'767'225'600 * kSecond;  // 2026-01-01 00:00 UTC
  record.environment = {{"device uuid", "GPU-1234"}, {"driver", "575.1"}};
  using Kind = CeilingPoint::Kind;
  record.points = {point(Kind::Memory, "copy", "float32", 4.0e12, 1'980),
                   point(Kind::Memory, "triad", "float32", 4.2e12, 1'980),
                   point(Kind::Matrix, "gemm", "bfloat16", 8e14, 1'600.5),
                   point(Kind::Matrix, "gemm", "float32", 5e13, std::nullopt)};
  return record;
}

}  // namespace

TEST_CASE("ceilings come back as they were written, device by device") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "new" / "ceilings.json";
  CHECK(readCeilings(file).empty());
  CeilingRecords records{{"GPU-1234", recordOfGpu()}};
  records["host on x"] = recordOfGpu();
  records["host on x"].points.resize(1);
  writeCeilings(file, records);
  const CeilingRecords read = readCeilings(file);
  REQUIRE(read.size() == 2);
  CHECK(read.at("host on x").points.size() == 1);
  const CeilingRecord& back = read.at("GPU-1234");
  CHECK(back.device == "GPU-1234");
  CHECK(back.deviceName == "NVIDIA H200");
  CHECK(back.measuredUnixNs == recordOfGpu().measuredUnixNs);
  CHECK(back.environment == recordOfGpu().environment);
  REQUIRE(back.points.size() == 4);
  CHECK(back.points[1].kind == CeilingPoint::Kind::Memory);
  CHECK(back.points[2].kind == CeilingPoint::Kind::Matrix);
  CHECK(back.points[2].op == "gemm");
  CHECK(back.points[2].shape == "n=1");
  CHECK(back.points[2].dtype == "bfloat16");
  CHECK(back.points[2].implementation == "vectorised");
  CHECK(back.points[2].l2 == "clean");
  CHECK(back.points[2].medianNs == 1'000.5);
  CHECK(back.points[2].perSecond == 8e14);
  CHECK(back.points[2].smClockMhz == 1'600.5);
  CHECK_FALSE(back.points[3].smClockMhz);
}

TEST_CASE("a damaged file of ceilings is said, with what to do") {
  const TemporaryFolder folder;
  const auto file = folder / "ceilings.json";
  for (const char* text : {"", "{", "[]", R"({"format":"opscope-noise","version":1,"devices":{}})",
                           R"({"format":"opscope-ceilings","version":2,"devices":{}})",
                           R"({"format":"opscope-ceilings","version":1,"devices":{"a":{}}})"}) {
    INFO(text);
    writeText(file, text);
    CHECK_THROWS_AS(readCeilings(file), CannotRead);
  }
  for (const auto& [from, to] : {std::pair{"8e+14", "-8e14"}, std::pair{"800000000000000.0", "-1.0"},
                                 std::pair{"\"matrix\"", "\"other\""}}) {
    writeCeilings(file, {{"GPU-1234", recordOfGpu()}});
    std::string text = readText(file);
    const auto at = text.find(from);
    if (at == std::string::npos) continue;  // one of the two ways to write 8e14
    text.replace(at, std::string(from).size(), to);
    writeText(file, text);
    INFO(to);
    CHECK_THROWS_MATCHES(readCeilings(file), CannotRead,
                         Catch::Matchers::MessageMatches(ContainsSubstring("ceilings.json") &&
                                                         ContainsSubstring("opscope ceilings")));
  }
}

TEST_CASE("a probe gives what its fastest implementation reached, at its clock") {
  Run run = runOfPasses({10'000, 10'000});
  run.op = "copy";
  run.family = "data-movement";
  run.bytes = 40'000'000;  // in 10 us: 4e12 bytes/s
  run.flops = 0;
  const auto memory = ceilingPointOf(run);
  REQUIRE(memory);
  CHECK(memory->kind == CeilingPoint::Kind::Memory);
  CHECK_THAT(memory->perSecond, WithinRel(4e12, 1e-12));
  CHECK(memory->medianNs == 10'000);
  CHECK(memory->smClockMhz == 1'980);
  CHECK(memory->shape == "M=2048 N=4096");
  CHECK(memory->l2 == "clean");

  run.family = "gemm";
  run.flops = 8e9;  // in 10 us: 8e14 per second
  CHECK(ceilingPointOf(run)->kind == CeilingPoint::Kind::Matrix);
  CHECK_THAT(ceilingPointOf(run)->perSecond, WithinRel(8e14, 1e-12));

  Run wrong = run;
  wrong.implementations[0].verification.state = VerificationRecord::State::Failed;
  CHECK_FALSE(ceilingPointOf(wrong));
  Run failed = run;
  failed.implementations[0].failure = ErrorInfo{ErrorCode::NotSupported, "no fp8 here", "", {}};
  CHECK_FALSE(ceilingPointOf(failed));
  const CeilingRecord record =
      ceilingRecordOf({std::make_shared<const Run>(run), std::make_shared<const Run>(failed)}, 77);
  CHECK(record.device == "GPU-1234");
  CHECK(record.points.size() == 1);
  CHECK(record.measuredUnixNs == 77);
}

TEST_CASE("a run is given the faster memory probe and the matrix rate of its own dtype") {
  Run run = runOfPasses({10'000, 10'000});
  Ceilings ceilings = ceilingsFor(recordOfGpu(), run);
  CHECK(ceilings.hold());
  CHECK(ceilings.measuredAt == "2026-01-01 00:00 UTC");
  REQUIRE(ceilings.memory);
  CHECK(*ceilings.memory == Ceiling{4.2e12, 1'980, "triad float32 n=1"});
  REQUIRE(ceilings.matrix);
  CHECK(*ceilings.matrix == Ceiling{8e14, 1'600.5, "gemm bfloat16 n=1"});
  run.dtype = "float8_e4m3fn";
  CHECK_FALSE(ceilingsFor(recordOfGpu(), run).matrix);
}

TEST_CASE("ceilings of another environment do not hold, and say why") {
  Run run = runOfPasses({10'000, 10'000});
  run.environment["driver"] = "580.2";
  run.environment["locked clocks"] = "1500 MHz";
  run.environment["temperature at start"] = "80 C";
  const Ceilings ceilings = ceilingsFor(recordOfGpu(), run);
  CHECK_FALSE(ceilings.hold());
  CHECK(ceilings.differences ==
        std::vector<std::string>{"driver was 575.1, now 580.2", "locked clocks was unknown, now 1500 MHz"});
}

TEST_CASE("a session keeps the ceilings that its efficiencies are of, and one without them has none") {
  const TemporaryFolder folder;
  Run run = syntheticRun();
  writeSession(folder / "s.opscope", {std::make_shared<const Run>(run)});
  CHECK(readSession(folder / "s.opscope").runs.at(0)->ceilings == run.ceilings);
  run.ceilings->matrix.reset();
  run.ceilings->differences.clear();
  writeSession(folder / "t.opscope", {std::make_shared<const Run>(run)});
  CHECK(readSession(folder / "t.opscope").runs.at(0)->ceilings == run.ceilings);
  run.ceilings.reset();
  writeSession(folder / "t.opscope", {std::make_shared<const Run>(run)});
  CHECK_FALSE(readSession(folder / "t.opscope").runs.at(0)->ceilings);
}

TEST_CASE("a session from before there were ceilings is read, and can be added to") {
  const TemporaryFolder folder;
  const Run run = syntheticRun();
  writeSession(folder / "s.opscope", {std::make_shared<const Run>(run)});
  {
    sqlite::Database db(folder / "s.opscope", sqlite::Database::Mode::Create);
    db.execute("DROP TABLE ceilings; DROP TABLE ceiling; DROP TABLE ceiling_difference");
  }
  CHECK_FALSE(readSession(folder / "s.opscope").runs.at(0)->ceilings);
  {
    SessionWriter writer(folder / "s.opscope");
    writer.addRun(run);
    writer.close();
  }
  const Session session = readSession(folder / "s.opscope");
  REQUIRE(session.runs.size() == 2);
  CHECK_FALSE(session.runs[0]->ceilings);
  CHECK(session.runs[1]->ceilings == run.ceilings);
}
