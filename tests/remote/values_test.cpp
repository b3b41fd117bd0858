// SPDX-License-Identifier: Apache-2.0
#include "remote/values.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace opscope;
using namespace opscope::remote;
using Catch::Matchers::ContainsSubstring;

namespace {

// Through the bytes, as it travels. Writing a value again must give the same: what is lost in reading shows.
Json travelled(const Json& json) {
  return decode(encode(json));
}

}  // namespace

TEST_CASE("a job travels with everything that it asks for") {
  Job job;
  job.device = "cuda:1";
  job.op = "gemm";
  job.workload = "square";
  job.dtype = "bfloat16";
  job.dims = {{"m", 16}, {"n", -3}};
  job.implementations = {"a", "b"};
  job.protocol = {.l2 = L2Mode::Zero,
                  .warmupBudget = 1,
                  .measureBudget = 2,
                  .minIterations = 3,
                  .maxIterations = 4,
                  .iterations = 5,
                  .blocks = 6,
                  .settleLimit = 12,
                  .bufferBytes = 7,
                  .settleIterations = 8,
                  .copies = 10,
                  .holdPatience = 11,
                  .attempts = 9,
                  .telemetry = false};
  job.baseline = "b";
  job.seed = 0xF000'0000'0000'0001;
  job.wrongResults = WrongResults::Measure;
  job.controls = {.prequeued = true, .tracing = false, .automatic = true};
  job.counters = true;
  job.checkOnly = true;
  job.methods = true;
  const Json json = travelled(toJson(job));
  const Job back = jobFrom(json);
  CHECK(toJson(back) == json);
  CHECK(back.device == "cuda:1");
  CHECK(back.dims == job.dims);
  CHECK(back.implementations == job.implementations);
  CHECK(back.protocol.l2 == L2Mode::Zero);
  CHECK(back.protocol.iterations == 5);
  CHECK(back.protocol.attempts == 9);
  CHECK_FALSE(back.protocol.telemetry);
  CHECK(back.seed == job.seed);
  CHECK(back.wrongResults == WrongResults::Measure);
  CHECK(back.controls.prequeued);
  CHECK_FALSE(back.controls.tracing);
  CHECK(back.controls.automatic);
  CHECK(back.baseline == "b");
  CHECK(back.protocol.settleLimit == 12);
  CHECK(back.counters);
  CHECK(back.methods);
  CHECK_FALSE(jobFrom(travelled(toJson(Job{}))).protocol.iterations);
}

TEST_CASE("a job with a field missing, of another type or out of range is refused") {
  const Json good = toJson(Job{});
  REQUIRE_NOTHROW(jobFrom(good));
  for (const auto& [name, value] : good.items()) {
    CAPTURE(name);
    Json without = good;
    without.erase(name);
    CHECK_THROWS_AS(jobFrom(without), ProtocolError);
    Json other = good;
    other[name] = Json::array({Json::object()});
    CHECK_THROWS_AS(jobFrom(other), ProtocolError);
  }
  Json wrong = good;
  wrong["protocol"]["l2"] = "lukewarm";
  CHECK_THROWS_AS(jobFrom(wrong), ProtocolError);
  wrong = good;
  wrong["dims"] = {{"M", "many"}};
  CHECK_THROWS_AS(jobFrom(wrong), ProtocolError);
}

TEST_CASE("an error travels with its place") {
  const ErrorInfo error{ErrorCode::CompileFailed, "no", "yes", {"a.cu", 3, 7}};
  CHECK(errorFrom(travelled(toJson(error))) == error);
}

TEST_CASE("progress travels") {
  const Progress progress{Phase::Flush, "eager", 1, 2, 3, 4, 5};
  const Json json = travelled(toJson(progress));
  CHECK(toJson(progressFrom(json)) == json);
  CHECK(progressFrom(json).phase == Phase::Flush);
  CHECK(progressFrom(json).remainingNs == 5);
}

TEST_CASE("devices, checks and the catalogue travel") {
  DeviceInfo device;
  device.id = "cuda:0";
  device.kind = "cuda";
  device.name = "NVIDIA H200";
  device.uuid = "GPU-1";
  device.figures = FigureKind::Gpu;
  device.method = "cupti";
  device.architecture = "sm_90";
  device.memoryBytes = std::int64_t{1} << 40;
  device.l2Bytes = 1;
  device.multiprocessors = 2;
  device.threadsPerMultiprocessor = 3;
  device.registersPerMultiprocessor = 4;
  device.sharedBytesPerMultiprocessor = 5;
  device.timestampTick = 32;
  device.memoryBytesPerSecond = 4.8e12;
  device.nearbyCpus = {1, 2};
  device.versions = {{"driver", "580"}};
  const Json devices = travelled(toJson(std::vector{device, DeviceInfo{}}));
  CHECK(toJson(devicesFrom(devices)) == devices);
  CHECK(devicesFrom(devices).at(0).memoryBytesPerSecond == 4.8e12);
  CHECK(devicesFrom(devices).at(0).nearbyCpus == std::vector{1, 2});

  const Json checks = travelled(toJson(std::vector<Check>{{Check::State::Warning, "a", "b", "c"}}));
  CHECK(toJson(checksFrom(checks)) == checks);
  CHECK(checksFrom(checks).at(0).state == Check::State::Warning);

  CatalogueInfo catalogue;
  catalogue.ops.push_back({"add",
                           "elementwise",
                           "doc",
                           {"float32"},
                           {{"w", {{"n", 4}}, {"float32"}}},
                           {{"i", "d", {"cuda", "host"}, {{"cuda", "/ops/add.cu"}}, {"/ops/add.yaml", 9, 5}}},
                           {"/ops/add.yaml", 2, 1}});
  catalogue.problems.push_back({ErrorCode::BadInput, "line 3", "", {"a.yaml", 3, 1}});
  const Json json = travelled(toJson(catalogue));
  CHECK(toJson(catalogueFrom(json)) == json);
  CHECK(catalogueFrom(json).ops.at(0).workloads.at(0).dims.at("n") == 4);
  CHECK(catalogueFrom(json).ops.at(0).place == Place{"/ops/add.yaml", 2, 1});
  CHECK(catalogueFrom(json).ops.at(0).implementations.at(0).sources.at("cuda") == "/ops/add.cu");
  CHECK(catalogueFrom(json).ops.at(0).implementations.at(0).place.line == 9);
  CHECK(catalogueFrom(json).problems == catalogue.problems);
}

TEST_CASE("two programs of different versions are told apart in one sentence") {
  const Hello own = ownHello();
  CHECK(helloFrom(travelled(toJson(own))) == own);
  CHECK(whyNotTogether(own, own).empty());
  Hello other = own;
  other.version = "9.9.9";
  other.host = "gpu-box";
  CHECK_THAT(whyNotTogether(other, own),
             ContainsSubstring("gpu-box") && ContainsSubstring("9.9.9") && ContainsSubstring(own.version));
  other = own;
  other.protocol += 1;
  CHECK_FALSE(whyNotTogether(other, own).empty());
  other = own;
  other.sessionFormat += 1;
  CHECK_FALSE(whyNotTogether(other, own).empty());
}
