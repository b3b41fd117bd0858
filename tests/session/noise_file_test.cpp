// SPDX-License-Identifier: Apache-2.0
#include "session/noise_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>

#include "base/error.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;
namespace fs = std::filesystem;

namespace {

NoiseRecord recordOf(double share) {
  NoiseRecord record;
  record.device = "GPU-1234";
  record.deviceName = "NVIDIA H200";
  record.measuredUnixNs = 1'767'225'600 * kSecond + 30 * 60 * kSecond;  // 2026-01-01 00:30 UTC
  record.environment = {{"driver", "575.1"}, {"cpu", "EPYC"}};
  record.points = {{"add", "tiny", "float32", "scalar", "clean", 2'000.5, 12, 0.001},
                   {"gemm", "a \"big\" one", "bfloat16", "cublaslt", "clean", 1e6, 11, share}};
  return record;
}

// An A/A comparison whose interval is given.
Run runWith(RatioInterval interval) {
  Run run;
  run.op = "add";
  run.workload = "tiny";
  run.dtype = "float32";
  run.l2 = "clean";
  run.deviceId = "cuda:0";
  run.deviceName = "NVIDIA H200";
  run.environment = {{"device uuid", "GPU-1234"}, {"driver", "580.2"}};
  run.implementations = {{.name = "scalar"}, {.name = "scalar"}};
  run.implementations[1].busy = {.n = 10, .median = 2'000};
  run.comparison = BlockComparison{};
  AgainstBaseline row;
  row.implementation = 1;
  row.ratio = 1;
  row.interval = interval;
  row.blocks.resize(12);
  run.comparison->rows.push_back(row);
  return run;
}

}  // namespace

TEST_CASE("noise floors come back as they were written, device by device") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "new" / "folder" / "noise.json";
  CHECK(readNoise(file).empty());
  writeNoise(file, {{"GPU-1234", recordOf(0.1 + 0.2)}});
  NoiseRecords records = readNoise(file);
  records["host on x"] = recordOf(0.05);
  writeNoise(file, records);
  records = readNoise(file);
  REQUIRE(records.size() == 2);
  const NoiseRecord& back = records.at("GPU-1234");
  CHECK(back.device == "GPU-1234");
  CHECK(back.deviceName == "NVIDIA H200");
  CHECK(back.measuredUnixNs == recordOf(0).measuredUnixNs);
  CHECK(back.environment == recordOf(0).environment);
  REQUIRE(back.points.size() == 2);
  CHECK(back.points[1].workload == "a \"big\" one");
  CHECK(back.points[1].medianNs == 1e6);
  CHECK(back.points[1].blocks == 11);
  CHECK(back.floor() == 0.1 + 0.2);  // bit for bit
  CHECK(records.at("host on x").floor() == 0.05);
}

TEST_CASE("a damaged file of noise floors is said, with what to do") {
  const TemporaryFolder folder;
  const fs::path file = folder / "noise.json";
  for (
      const char* text :
      {"", "{", "[]", R"({"format":"other","version":1,"devices":{}})",
       R"({"format":"opscope-noise","version":2,"devices":{}})", R"({"format":"opscope-noise","version":1})",
       R"({"format":"opscope-noise","version":1,"devices":{"a":{}}})",
       R"({"format":"opscope-noise","version":1,"devices":{"a":{"name":"n","measured_unix_ns":1,"environment":{},"points":[]}}})"}) {
    INFO(text);
    writeText(file, text);
    CHECK_THROWS_AS(readNoise(file), CannotRead);
  }
  writeNoise(file, {{"GPU-1234", recordOf(0.02)}});
  std::string text = readText(file);
  text.replace(text.find("0.02"), 4, "-0.2");
  writeText(file, text);
  CHECK_THROWS_MATCHES(
      readNoise(file), CannotRead,
      Catch::Matchers::MessageMatches(ContainsSubstring("noise.json") && ContainsSubstring("opscope noise")));
  CHECK_THROWS_AS(writeNoise(folder / "noise.json" / "under" / "a-file.json", {}), CannotWrite);
}

TEST_CASE("an A/A comparison gives the further bound of its interval") {
  CHECK_THAT(noisePointOf(runWith({0.995, 1.002}))->share, WithinRel(1 / 0.995 - 1, 1e-9));
  CHECK_THAT(noisePointOf(runWith({0.999, 1.004}))->share, WithinRel(0.004, 1e-9));
  Run noInterval = runWith({1, 1});
  noInterval.comparison->rows[0].interval.reset();
  CHECK_FALSE(noisePointOf(noInterval));
  CHECK_FALSE(noisePointOf(Run{}));
  const NoiseRecord record =
      noiseRecordOf({std::make_shared<Run>(runWith({0.999, 1.004})), std::make_shared<Run>(noInterval),
                     std::make_shared<Run>(runWith({0.998, 1.03}))},
                    77);
  CHECK(record.device == "GPU-1234");
  CHECK(record.points.size() == 2);
  CHECK_THAT(record.floor(), WithinRel(0.03, 1e-9));
  CHECK(record.measuredUnixNs == 77);
  CHECK_FALSE(record.environment.at("host").empty());
}

TEST_CASE("a floor says when it was measured, and what has changed since") {
  Run run = runWith({1, 1});
  run.environment["cpu"] = "EPYC";
  NoiseRecord record = noiseRecordOf({std::make_shared<Run>(run)}, recordOf(0).measuredUnixNs);
  CHECK(noiseFloorFor(record, run).differences.empty());
  CHECK(noiseFloorFor(record, run).measuredAt == "2026-01-01 00:30 UTC");
  record.environment["driver"] = "575.1";
  run.l2 = "warm";
  run.environment.erase("cpu");
  run.environment["temperature at start"] = "80 C";  // changes all the time, and means nothing
  CHECK(noiseFloorFor(record, run).differences == std::vector<std::string>{"driver was 575.1, now 580.2",
                                                                           "cpu was EPYC, now unknown",
                                                                           "L2 was clean, now warm"});
}
