// SPDX-License-Identifier: Apache-2.0
//
// The engine end to end on the host device: real work, real threads, every way in which a job can end.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/running_job.h"

using namespace opscope;
using opscope::test::startAndRun;

namespace {

Job hostJob(const std::string& op, const std::string& implementation = {}) {
  Job job;
  job.device = "host";
  job.op = op;
  if (!implementation.empty()) job.implementations = {implementation};
  job.protocol.iterations = 6;
  job.protocol.warmupBudget = kMillisecond;
  job.seed = 11;
  return job;
}

Job tinyNorm() {
  Job job = hostJob("rms_norm");
  job.dims = {{"M", 4}, {"N", 256}};
  return job;
}

ErrorCode codeOf(Engine& engine, const Job& job) {
  try {
    runJob(engine, job);
  } catch (const Error& error) {
    return error.code();
  }
  FAIL("the job did not fail");
  return ErrorCode::Internal;
}

ErrorCode failureOf(Engine& engine, const std::string& op, const std::string& implementation = {}) {
  const auto run = runJob(engine, hostJob(op, implementation));
  REQUIRE_FALSE(run->implementations.empty());
  const ImplementationResult& result = run->implementations.front();
  REQUIRE(result.failure);
  CHECK_FALSE(result.hasNumber());
  CHECK(result.busy.n == 0);
  return result.failure->code;
}

}  // namespace

TEST_CASE("rms_norm on the host: both implementations measured, verified, with kernels and gaps") {
  const auto engine = makeLocalEngine();
  const auto run = runJob(*engine, tinyNorm());
  REQUIRE(run->implementations.size() == 2);
  CHECK(run->figures == "host CPU");
  CHECK(run->method == "host-records");
  CHECK_FALSE(run->environment.at("cpu").empty());
  REQUIRE(run->passes.size() == 4);
  CHECK(run->passes[0]->implementation == 0);
  CHECK(run->passes[1]->implementation == 1);
  CHECK(run->passes[2]->implementation == 1);
  CHECK(run->passes[3]->implementation == 0);
  for (const ImplementationResult& result : run->implementations) {
    INFO(result.name);
    REQUIRE(result.hasNumber());
    CHECK(result.busy.n == 6);
    CHECK(result.busy.median > 0);
    CHECK(result.verification.state == VerificationRecord::State::Passed);
  }
  const auto named = [&](const std::string& name) {
    return *std::find_if(run->implementations.begin(), run->implementations.end(),
                         [&](const auto& r) { return r.name == name; });
  };
  CHECK(named("one-pass").kernelsMax == 1);
  const ImplementationResult eager = named("eager");
  CHECK(eager.kernelsMin >= 5);
  CHECK(eager.gap.median > 0);
  CHECK(eager.latency.median >= eager.busy.median);
}

TEST_CASE("each trap ends in its own failure and has no number") {
  const auto engine = makeLocalEngine();
  CHECK(failureOf(*engine, "trap_off_thread") == ErrorCode::OffThreadLaunch);
  CHECK(failureOf(*engine, "trap_no_kernel") == ErrorCode::NoKernel);
  CHECK(failureOf(*engine, "trap_copy_only") == ErrorCode::NoKernel);
  CHECK(failureOf(*engine, "trap_wrong_result", "wrong") == ErrorCode::WrongResult);
}

TEST_CASE("a record buffer that stays too small is RecordsLost") {
  const auto engine = makeLocalEngine();
  Job job = tinyNorm();
  job.implementations = {"eager"};
  job.protocol.bufferBytes = 128;
  const auto run = runJob(*engine, job);
  REQUIRE(run->implementations[0].failure);
  CHECK(run->implementations[0].failure->code == ErrorCode::RecordsLost);
}

TEST_CASE("records lost once are measured again with a larger buffer, and that is said") {
  const auto engine = makeLocalEngine();
  Job job = tinyNorm();
  job.implementations = {"one-pass"};
  job.protocol.bufferBytes = 1024;
  job.protocol.attempts = 6;
  const auto run = runJob(*engine, job);
  REQUIRE(run->implementations[0].hasNumber());
  CHECK(run->passes[0]->attempts > 1);
  CHECK(std::any_of(run->findings.begin(), run->findings.end(),
                    [](const Finding& f) { return f.rule == "measured-again"; }));
}

TEST_CASE("a wrong result is measured on demand, and marked") {
  const auto engine = makeLocalEngine();
  Job job = hostJob("trap_wrong_result", "wrong");
  job.wrongResults = WrongResults::Measure;
  const auto run = runJob(*engine, job);
  CHECK(run->implementations[0].hasNumber());
  CHECK(run->implementations[0].verification.state == VerificationRecord::State::Failed);
  CHECK(std::any_of(run->findings.begin(), run->findings.end(),
                    [](const Finding& f) { return f.rule == "wrong-result"; }));
}

TEST_CASE("a job that names something unknown says so and leaves the engine usable") {
  const auto engine = makeLocalEngine();
  Job job = hostJob("rms_nrom");
  CHECK(codeOf(*engine, job) == ErrorCode::UnknownName);
  job = tinyNorm();
  job.workload = "no-such-workload";
  CHECK(codeOf(*engine, job) == ErrorCode::UnknownName);
  job = tinyNorm();
  job.dtype = "float7";
  CHECK(codeOf(*engine, job) == ErrorCode::UnknownName);
  job = tinyNorm();
  job.implementations = {"fastest"};
  CHECK(codeOf(*engine, job) == ErrorCode::UnknownName);
  job = tinyNorm();
  job.device = "cuda:99";
  CHECK(codeOf(*engine, job) == ErrorCode::NoSuchDevice);
  job = tinyNorm();
  job.dims = {{"M", 0}};
  CHECK(codeOf(*engine, job) == ErrorCode::BadInput);
  job = tinyNorm();
  job.dims = {{"Q", 4}};
  CHECK(codeOf(*engine, job) == ErrorCode::UnknownName);
  job = tinyNorm();
  job.dims = {{"M", 1'000'000'000}, {"N", 1'000'000}};
  const ErrorCode code = codeOf(*engine, job);
  CHECK((code == ErrorCode::OutOfMemory || code == ErrorCode::BadInput));
  CHECK(runJob(*engine, tinyNorm())->implementations[0].hasNumber());
}

TEST_CASE("events come in order, and every pass as it finishes") {
  const auto engine = makeLocalEngine();
  std::vector<std::string> kinds;
  std::size_t passes = 0;
  runJob(*engine, tinyNorm(), [&](const EngineEvent& event) {
    if (std::holds_alternative<JobStarted>(event)) kinds.push_back("started");
    if (const auto* prepared = std::get_if<JobPrepared>(&event)) {
      kinds.push_back("prepared");
      CHECK(passes == 0);
      for (const auto& each : prepared->run->implementations)
        CHECK(each.verification.state == VerificationRecord::State::Passed);
    }
    if (std::holds_alternative<PassFinished>(event)) ++passes;
    if (std::holds_alternative<JobFinished>(event)) kinds.push_back("finished");
  });
  CHECK(kinds == std::vector<std::string>{"started", "prepared", "finished"});
  CHECK(passes == 4);
}

TEST_CASE("a stop keeps the passes that had finished") {
  const auto engine = makeLocalEngine();
  std::atomic<int> passes = 0;
  Job job = tinyNorm();
  job.protocol.blocks = 1000;  // far more than anybody waits for
  std::shared_ptr<const Run> finished;
  engine->start(job, [&](const EngineEvent& event) {
    if (std::holds_alternative<PassFinished>(event) && ++passes == 3) passes.notify_all();
    if (const auto* done = std::get_if<JobFinished>(&event)) finished = done->run;
  });
  for (int seen = passes; seen < 3; seen = passes) passes.wait(seen);
  engine->stop();
  engine->wait();
  REQUIRE(finished);
  CHECK(finished->cancelled);
  CHECK(finished->passes.size() >= 3);
  CHECK(finished->passes.size() < 4000);
  CHECK(finished->implementations[0].hasNumber());
}

TEST_CASE("a second job while one runs is refused") {
  const auto engine = makeLocalEngine();
  startAndRun(*engine, tinyNorm());
  CHECK_THROWS_AS(engine->start(tinyNorm(), [](const EngineEvent&) {}), BadInput);
  engine->stop();
  engine->wait();
}

TEST_CASE("an engine that is destroyed while it measures ends at once and cleanly") {
  auto engine = makeLocalEngine();
  startAndRun(*engine, tinyNorm());
  engine.reset();
  SUCCEED();
}

TEST_CASE("a fresh seed is chosen and recorded when none is given") {
  const auto engine = makeLocalEngine();
  Job job = tinyNorm();
  job.seed = 0;
  const auto first = runJob(*engine, job), second = runJob(*engine, job);
  CHECK(first->seed != 0);
  CHECK(first->seed != second->seed);
}

TEST_CASE("the engine lists the host device and its ops, and diagnoses") {
  const auto engine = makeLocalEngine();
  const auto devices = engine->devices();
  CHECK(std::any_of(devices.begin(), devices.end(), [](const DeviceInfo& d) { return d.id == "host"; }));
  const CatalogueInfo catalogue = engine->catalogue();
  CHECK(catalogue.problems.empty());
  CHECK(std::any_of(catalogue.ops.begin(), catalogue.ops.end(),
                    [](const CatalogueInfo::Op& op) { return op.name == "gemm"; }));
  for (const Check& check : engine->diagnose()) CHECK_FALSE(check.sentence.empty());
}

TEST_CASE("counters that a device does not have cost nothing but themselves") {
  const auto engine = makeLocalEngine();
  Job job = tinyNorm();
  job.counters = true;
  bool counting = false;
  const auto run = runJob(*engine, job, [&](const EngineEvent& event) {
    if (const auto* progress = std::get_if<JobProgress>(&event))
      counting = counting || progress->progress.phase == Phase::Count;
  });
  CHECK(counting);
  for (const ImplementationResult& result : run->implementations) {
    CHECK(result.hasNumber());
    CHECK_FALSE(result.counters);
    REQUIRE(result.countersRefused);
    CHECK(result.countersRefused->code == ErrorCode::NotSupported);
    CHECK(result.countersRefused->message == "The host device has no memory counters");
  }
  job.counters = false;
  const auto without = runJob(*engine, job);
  for (const ImplementationResult& result : without->implementations) CHECK_FALSE(result.countersRefused);
}
