// SPDX-License-Identifier: Apache-2.0
//
// The engine as a process of its own, with the real program and the host device.
#include <sys/types.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "engine/running_job.h"
#include "remote/make_engine.h"
#include "remote/same_run.h"
#include "remote/waiting.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using std::chrono::milliseconds;

namespace {

std::unique_ptr<RemoteEngine> process(const EngineLimits& limits = {}) {
  return makeRemoteEngine({OPSCOPE_PROGRAM, "serve"}, limits);
}

Job crash(const std::string& op, const std::string& implementation, std::int64_t after) {
  Job job;
  job.device = "host";
  job.op = op;
  job.dims = {{"n", 64}, {"after", after}};
  job.implementations = {implementation};
  job.protocol.l2 = L2Mode::Warm;
  job.protocol.iterations = 40;
  job.protocol.maxIterations = 10;  // of the warm-up, too
  job.protocol.warmupBudget = kMillisecond;
  job.seed = 3;
  return job;
}

void checkNextJob(Engine& engine) {
  const auto from = std::chrono::steady_clock::now();
  const auto run = runJob(engine, tinyNorm());
  CHECK(run->implementations.at(0).hasNumber());
  // 2 s on a machine that has nothing else to do; this one runs other tests beside it.
  CHECK(secondsSince(from) < 10);
}

}  // namespace

TEST_CASE("a process measures what this process measures, run by run") {
  const auto local = makeLocalEngine();
  const auto child = process();
  for (const Job& job : sameJobs()) {
    CAPTURE(job.op);
    checkSame(*runJob(*local, job), *runJob(*child, job));
  }
}

TEST_CASE("controls and methods come back from a process, and their passes are no events") {
  const auto local = makeLocalEngine();
  const auto child = process();
  Job job = tinyNorm();
  job.op = "trap_host_sleep";
  job.dims.clear();
  job.controls = {.prequeued = true, .tracing = true, .automatic = false};
  job.methods = true;
  std::size_t told = 0;
  const auto here = runJob(*local, job), there = runJob(*child, job, [&](const EngineEvent& event) {
                                           told += std::holds_alternative<PassFinished>(event) ? 1 : 0;
                                         });
  checkSame(*here, *there);
  CHECK(told == there->passes.size());
  REQUIRE(here->controls.size() == there->controls.size());
  for (std::size_t i = 0; i < here->implementations.size(); ++i) {
    CHECK(here->implementations[i].prequeued.has_value() == there->implementations[i].prequeued.has_value());
    CHECK(here->implementations[i].tracingCost.has_value() ==
          there->implementations[i].tracingCost.has_value());
    CHECK(here->implementations[i].methods.size() == there->implementations[i].methods.size());
  }
}

TEST_CASE("the same through a shell, and by name") {
  const auto local = makeLocalEngine();
  const auto shell = makeEngine("sh -c '" OPSCOPE_PROGRAM " serve; exit 0'");
  checkSame(*runJob(*local, tinyNorm()), *runJob(*shell, tinyNorm()));
  const auto named = makeEngine(kProcessEngine);
  checkSame(*runJob(*local, tinyNorm()), *runJob(*named, tinyNorm()));
  CHECK_THROWS_AS(makeEngine("ssh 'gpu-box"), BadInput);
  CHECK_THROWS_AS(makeEngine(""), BadInput);
  CHECK_THROWS_AS(makeEngine("ssh gpu-box opscope serve", {.opFolders = {"."}}), BadInput);
}

TEST_CASE("catalogue, devices and checks are the same") {
  const auto local = makeLocalEngine();
  const auto child = process();
  const CatalogueInfo here = local->catalogue(), there = child->catalogue();
  REQUIRE(here.ops.size() == there.ops.size());
  for (std::size_t i = 0; i < here.ops.size(); ++i) {
    CHECK(here.ops[i].name == there.ops[i].name);
    CHECK(here.ops[i].workloads.size() == there.ops[i].workloads.size());
    CHECK(here.ops[i].implementations.size() == there.ops[i].implementations.size());
  }
  CHECK(local->devices().size() == child->devices().size());
  CHECK_FALSE(child->diagnose().empty());
  CHECK(child->identity().pid > 0);
}

TEST_CASE("an engine is tried: when it answered, who it is, what it has") {
  const EngineTrial trial = tryEngine(kProcessEngine);
  CHECK(trial.answered > std::chrono::nanoseconds(0));
  CHECK_FALSE(trial.identity.version.empty());
  CHECK_FALSE(trial.devices.empty());
  CHECK_FALSE(trial.checks.empty());
  CHECK(tryEngine(kLocalEngine).devices.size() == trial.devices.size());
  CHECK_THROWS_AS(tryEngine("no-such-program-anywhere serve"), EngineDied);
}

TEST_CASE("a failure of the job as a whole, and of one implementation, keep their type") {
  const auto engine = process();
  Job job = tinyNorm();
  job.op = "rms_nrom";
  CHECK(runToEnd(*engine, job).failure->code == ErrorCode::UnknownName);
  job = tinyNorm();
  job.device = "cuda:99";
  CHECK(runToEnd(*engine, job).failure->code == ErrorCode::NoSuchDevice);
  job = tinyNorm();
  job.op = "trap_off_thread";
  job.dims.clear();
  CHECK(runJob(*engine, job)->implementations.at(0).failure->code == ErrorCode::OffThreadLaunch);
  job.op = "crash_too_large";
  CHECK(runJob(*engine, job)->implementations.at(0).failure->code == ErrorCode::OutOfMemory);
}

TEST_CASE("kill -9 in any phase: the job fails by name, what had finished stays, the next job runs") {
  const Phase phase = GENERATE(Phase::Prepare, Phase::Verify, Phase::Calibrate, Phase::WarmUp, Phase::Measure,
                               Phase::Flush, Phase::Attribute);
  CAPTURE(nameOf(phase));
  const auto engine = process();
  const pid_t pid = static_cast<pid_t>(engine->identity().pid);
  Job job = tinyNorm();
  job.protocol.blocks = 100'000;
  std::size_t passes = 0;
  const Ended ended = runToEnd(*engine, job, [&](const EngineEvent& event) {
    passes += std::holds_alternative<PassFinished>(event) ? 1 : 0;
    const auto* update = std::get_if<JobProgress>(&event);
    const bool late = phase > Phase::Calibrate;  // the earlier ones come once only
    if (update != nullptr && update->progress.phase == phase && (!late || passes >= 2)) kill(pid, SIGKILL);
  });
  REQUIRE(ended.failure);
  CHECK(ended.failure->code == ErrorCode::EngineDied);
  CHECK_THAT(ended.failure->message, ContainsSubstring("SIGKILL"));
  REQUIRE(ended.run);
  CHECK(ended.run->passes.size() == passes);
  if (phase > Phase::Calibrate) {  // what was found before the first pass stays known, and is judged as ever
    CHECK(ended.run->implementations.at(0).verification.state == VerificationRecord::State::Passed);
    CHECK_FALSE(ended.run->findings.empty());
  }
  CHECK(engine->identity().pid != pid);
  checkNextJob(*engine);
}

TEST_CASE("a call or a kernel that never ends is ended, wherever it hangs") {
  EngineLimits limits;
  limits.still = milliseconds(1500);
  const auto engine = process(limits);
  struct Hang {
    std::int64_t after;
    const char* phase;
  };
  // The first call is verified, the next ones calibrate, warm up, and are measured.
  const Hang hang = GENERATE(Hang{0, "verify"}, Hang{1, "calibrate"}, Hang{30, "measure"});
  const std::string implementation = GENERATE("kernel", "call");
  CAPTURE(hang.after, implementation);
  const Ended ended = runToEnd(*engine, crash("crash_endless", implementation, hang.after));
  REQUIRE(ended.failure);
  CHECK(ended.failure->code == ErrorCode::EngineDied);
  CHECK_THAT(ended.failure->message, ContainsSubstring("no progress") && ContainsSubstring(hang.phase));
  checkNextJob(*engine);
}

TEST_CASE("a call that aborts, and a kernel that writes where nothing is, name their signal") {
  const auto engine = process();
  const Ended aborted = runToEnd(*engine, crash("crash_abort", "abort", 20));
  REQUIRE(aborted.failure);
  CHECK(aborted.failure->code == ErrorCode::EngineDied);
  CHECK_THAT(aborted.failure->message, ContainsSubstring("abort"));
  checkNextJob(*engine);
  Job job = crash("crash_out_of_bounds", "stray", 0);
  job.dims = {{"n", 64}};
  const Ended strayed = runToEnd(*engine, job);
  REQUIRE(strayed.failure);
  CHECK(strayed.failure->code == ErrorCode::EngineDied);
  checkNextJob(*engine);
}

TEST_CASE("a stop keeps the passes that had finished, as in this process") {
  const auto engine = process();
  Job job = tinyNorm();
  job.protocol.blocks = 100'000;
  std::atomic<int> passes = 0;
  std::thread stopper([&] {
    for (int seen = passes; seen < 3; seen = passes) passes.wait(seen);
    engine->stop();
  });
  const Ended ended = runToEnd(*engine, job, [&](const EngineEvent& event) {
    if (std::holds_alternative<PassFinished>(event) && ++passes == 3) passes.notify_all();
  });
  stopper.join();
  CHECK_FALSE(ended.failure);
  REQUIRE(ended.run);
  CHECK(ended.run->cancelled);
  CHECK(ended.run->passes.size() >= 3);
  checkNextJob(*engine);
}

TEST_CASE("a second job while one runs is refused") {
  const auto engine = process();
  startAndRun(*engine, tinyNorm());
  CHECK_THROWS_AS(engine->start(tinyNorm(), [](const EngineEvent&) {}), BadInput);
  engine->stop();
  engine->wait();
}

TEST_CASE("an engine that dies between jobs is not missed") {
  const auto engine = process();
  for (int i = 0; i < 10; ++i) {  // its death is noticed before, while or after the next job is given to it
    kill(static_cast<pid_t>(engine->identity().pid), SIGKILL);
    checkNextJob(*engine);
  }
}

TEST_CASE("two engines measure at once") {
  const auto one = process(), other = process();
  std::shared_ptr<const Run> first, second;
  std::thread thread([&] { first = runJob(*one, tinyNorm()); });
  second = runJob(*other, tinyNorm());
  thread.join();
  checkSame(*first, *second);
}

TEST_CASE("nothing is left when the owner goes, in whatever state") {
  auto engine = process();
  const pid_t pid = static_cast<pid_t>(engine->identity().pid);
  const bool busy = GENERATE(false, true);
  if (busy) {
    startAndRun(*engine, tinyNorm());
  }
  engine.reset();
  CHECK(kill(pid, 0) == -1);  // ended and reaped: not even a zombie
}
