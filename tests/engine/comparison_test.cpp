// SPDX-License-Identifier: Apache-2.0
//
// What the engine adds to a comparison: the baseline that was asked for, the settling phase, the device's
// floor.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>

#include "base/error.h"
#include "engine/engine.h"
#include "session/comparison.h"
#include "session/noise_file.h"
#include "session/synthetic.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;

namespace {

Job shortNorm() {
  Job job;
  job.device = "host";
  job.op = "rms_norm";
  job.dims = {{"M", 4}, {"N", 256}};
  job.protocol.iterations = 4;
  job.protocol.warmupBudget = kMillisecond;
  job.protocol.l2 = L2Mode::Warm;  // clearing is not what this is about, and slow on a CPU
  job.seed = 11;
  return job;
}

// A data folder of the test's own.
struct DataFolder {
  DataFolder() { setenv("OPSCOPE_DATA", folder.path().c_str(), 1); }
  ~DataFolder() { unsetenv("OPSCOPE_DATA"); }
  test::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("the baseline is the one that the job names") {
  const DataFolder data;
  const auto engine = makeLocalEngine();
  Job job = shortNorm();
  const auto plain = runJob(*engine, job);
  REQUIRE(plain->comparison);
  CHECK(plain->comparison->baseline == 0);
  CHECK_FALSE(plain->settling);
  CHECK_FALSE(plain->noiseFloor);
  job.baseline = plain->implementations.at(1).name;
  const auto run = runJob(*engine, job);
  REQUIRE(run->comparison);
  CHECK(run->comparison->baseline == 1);
  CHECK(run->comparison->rowOf(0)->reason == VerdictReason::OneBlock);
  job.baseline = "no-such";
  CHECK_THROWS_AS(runJob(*engine, job), Error);
  job.baseline = plain->implementations.at(1).name;
  job.implementations = {plain->implementations.at(0).name};
  try {
    runJob(*engine, job);
    FAIL("a baseline that is not measured was accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::BadInput);
  }
}

TEST_CASE("four blocks settle first, and give an interval and a verdict or a reason") {
  const DataFolder data;
  const auto engine = makeLocalEngine();
  Job job = shortNorm();
  job.protocol.blocks = 4;
  const auto run = runJob(*engine, job);
  REQUIRE(run->settling);
  CHECK(run->settling->rounds > 0);
  CHECK(run->settling->limit == 3 * kSecond);
  REQUIRE(run->comparison);
  CHECK(run->comparison->rowOf(1)->interval);
  REQUIRE(run->comparison->drift);
  CHECK(run->comparison->drift->pairs == 8);
  CHECK(run->comparison->drift->step > 0);
}

TEST_CASE("an implementation against itself is two contestants, and its floor is used from then on") {
  const DataFolder data;
  const auto engine = makeLocalEngine();
  Job job = shortNorm();
  job.protocol.blocks = 4;
  job.protocol.settleLimit = 0;
  job.implementations = {"one-pass", "one-pass"};
  const auto run = runJob(*engine, job);
  REQUIRE(run->implementations.size() == 2);
  NoiseRecord record = noiseRecordOf({run}, run->finishedUnixNs);
  REQUIRE(record.points.size() == 1);
  record.environment["cpu"] = "another one";
  record.points[0].share = 5;  // nothing is that noisy: what uses it cannot have come about by itself
  writeNoise(noiseFile(), {{record.device, record}});
  job.implementations.clear();
  const auto later = runJob(*engine, job);
  REQUIRE(later->noiseFloor);
  CHECK(later->noiseFloor->share == 5);
  REQUIRE(later->noiseFloor->differences.size() == 1);
  CHECK_THAT(later->noiseFloor->differences[0], ContainsSubstring("cpu was another one, now "));
  REQUIRE(later->comparison);
  CHECK(later->comparison->rowOf(1)->threshold == Threshold{5, Threshold::Source::NoiseFloor});
}

TEST_CASE("a damaged file of floors costs the floor and is said, never the measurement") {
  const DataFolder data;
  test::writeText(noiseFile(), "{ no JSON");
  const auto engine = makeLocalEngine();
  const auto run = runJob(*engine, shortNorm());
  REQUIRE(run->comparison);
  CHECK_FALSE(run->noiseFloor);
  CHECK_THAT(thresholdSentence(*run),
             ContainsSubstring("Warning: no noise floor is used") && ContainsSubstring("noise.json"));
}
