// SPDX-License-Identifier: Apache-2.0
//
// Every way in which an engine that is another process can be gone, with a puppet that goes on demand.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <thread>

#include "remote/remote_engine.h"
#include "remote/waiting.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using std::chrono::milliseconds;

namespace {

std::unique_ptr<RemoteEngine> puppet(const std::string& mode, const std::string& argument = {},
                                     const EngineLimits& limits = {}) {
  return makeRemoteEngine({OPSCOPE_PUPPET, mode, argument}, limits);
}

Job job(const std::string& op = "bad") {
  Job job;
  job.op = op;
  return job;
}

void checkThatItMeasures(Engine& engine) {
  const auto from = std::chrono::steady_clock::now();
  const Ended next = runToEnd(engine, job("good"));
  CHECK_FALSE(next.failure);
  REQUIRE(next.run);
  CHECK(next.run->passes.size() == 1);
  CHECK(secondsSince(from) < 2);
}

const std::vector<std::string> kPhases{"prepare", "verify", "calibrate", "warm up",
                                       "measure", "flush",  "attribute"};

}  // namespace

TEST_CASE(
    "an engine that is killed in any phase fails the job by name, keeps its passes, and the next job runs") {
  const std::string phase = GENERATE(Catch::Generators::from_range(kPhases));
  CAPTURE(phase);
  const auto engine = puppet("die", phase);
  int started = 0, finished = 0;
  const Ended died = runToEnd(*engine, job(), [&](const EngineEvent& event) {
    started += std::holds_alternative<JobStarted>(event) ? 1 : 0;
    finished += std::holds_alternative<PassFinished>(event) ? 1 : 0;
  });
  CHECK(started == 1);
  CHECK(finished == 1);
  REQUIRE(died.failure);
  CHECK(died.failure->code == ErrorCode::EngineDied);
  CHECK_THAT(died.failure->message,
             ContainsSubstring("SIGKILL") && ContainsSubstring("\"" + phase + "\" of string") &&
                 ContainsSubstring("pass 2 of 4") && ContainsSubstring("iteration 12 of 50") &&
                 ContainsSubstring("the string broke"));
  REQUIRE(died.run);
  REQUIRE(died.run->passes.size() == 1);
  CHECK(died.run->cancelled);
  CHECK(died.run->note == died.failure->message);
  CHECK(died.run->implementations.at(0).busy.median == 3000);
  checkThatItMeasures(*engine);
}

TEST_CASE("an engine that makes no progress, or gives no sign of life, is ended by name") {
  const std::string mode = GENERATE("hang", "freeze");
  CAPTURE(mode);
  EngineLimits limits;
  limits.still = mode == "hang" ? milliseconds(1200) : milliseconds(0);
  limits.silence = milliseconds(mode == "hang" ? 60'000 : 1500);
  const auto engine = puppet(mode, "measure", limits);
  const Ended died = runToEnd(*engine, job());
  REQUIRE(died.failure);
  CHECK(died.failure->code == ErrorCode::EngineDied);
  CHECK_THAT(died.failure->message,
             ContainsSubstring(mode == "hang" ? "no progress for 1.2" : "no sign of life for 1.5") &&
                 ContainsSubstring("\"measure\" of string"));
  REQUIRE(died.run);
  CHECK(died.run->passes.size() == 1);
  checkThatItMeasures(*engine);
}

TEST_CASE("a stop that the engine does not follow ends it, and is a stop all the same") {
  EngineLimits limits;
  limits.stop = milliseconds(300);
  const auto engine = puppet("hang", "measure", limits);
  std::atomic<bool> there = false;
  std::thread stopper([&] {
    there.wait(false);
    engine->stop();
  });
  const Ended stopped = runToEnd(*engine, job(), [&](const EngineEvent& event) {
    if (!std::holds_alternative<JobProgress>(event)) return;
    there = true;
    there.notify_all();
  });
  stopper.join();
  REQUIRE(stopped.failure);
  CHECK(stopped.failure->code == ErrorCode::Cancelled);
  CHECK_THAT(stopped.failure->message, ContainsSubstring("did not stop within 300"));
  REQUIRE(stopped.run);
  CHECK(stopped.run->passes.size() == 1);
  checkThatItMeasures(*engine);
}

TEST_CASE("an engine that is given up while its job hangs ends with it") {
  EngineLimits limits;
  limits.stop = milliseconds(300);
  auto engine = puppet("hang", "measure", limits);
  std::atomic<bool> there = false;
  std::optional<ErrorInfo> failure;
  engine->start(job(), [&](const EngineEvent& event) {
    if (const auto* failed = std::get_if<JobFailed>(&event)) failure = failed->error;
    if (!std::holds_alternative<JobProgress>(event)) return;
    there = true;
    there.notify_all();
  });
  there.wait(false);
  const auto from = std::chrono::steady_clock::now();
  engine.reset();
  CHECK(secondsSince(from) < 3);
  REQUIRE(failure);
  CHECK(failure->code == ErrorCode::Cancelled);
}

TEST_CASE("a job whose engine died before it told anything is given to the next, three times at most") {
  const TemporaryFolder folder;
  const auto engine = puppet("unborn", (folder / "deaths").string());
  const Ended third = runToEnd(*engine, job());
  CHECK_FALSE(third.failure);
  REQUIRE(third.run);
  CHECK(readText(folder / "deaths") == "xx");

  const auto doomed = puppet("stillborn");
  const Ended died = runToEnd(*doomed, job());
  REQUIRE(died.failure);
  CHECK(died.failure->code == ErrorCode::EngineDied);
  CHECK_THAT(died.failure->message, ContainsSubstring("3 engines in a row") && ContainsSubstring("SIGKILL"));
  CHECK_FALSE(died.run);
  checkThatItMeasures(*doomed);
}

TEST_CASE("an engine that cannot be had says why, to a job and to a question") {
  EngineLimits limits;
  limits.hello = milliseconds(500);
  const auto check = [&](const std::vector<std::string>& words, const std::string& message,
                         const std::string& remedy) {
    CAPTURE(words);
    const auto engine = makeRemoteEngine(words, limits);
    const Ended ended = runToEnd(*engine, job());
    REQUIRE(ended.failure);
    CHECK(ended.failure->code == ErrorCode::EngineDied);
    CHECK_THAT(ended.failure->message, ContainsSubstring(message));
    CHECK_THAT(ended.failure->remedy, ContainsSubstring(remedy));
    CHECK_THROWS_AS(engine->identity(), EngineDied);
    CHECK_THROWS_AS(engine->devices(), EngineDied);
  };
  check({OPSCOPE_PUPPET, "other"}, "Opscope 9.9.9", "same version");
  check({OPSCOPE_PUPPET, "mute"}, "did not answer within 500", "by hand");
  check({OPSCOPE_PUPPET, "chatty"}, "Welcome to gpu-box!", "nothing but the protocol");
  check({OPSCOPE_PUPPET, "refuse"}, "Permission denied", "key");
  check({"no-such-program-anywhere"}, "No such file", "install");
  check({"sh", "-c", "no-such-program-anywhere serve"}, "exit code 127", "Install Opscope there");
}

TEST_CASE("an engine that is never needed is never started") {
  const TemporaryFolder folder;
  {
    const auto engine = makeRemoteEngine({"sh", "-c", "echo x > " + (folder / "started").string()});
  }
  CHECK_FALSE(std::filesystem::exists(folder / "started"));
}

TEST_CASE("a stop before the engine answers is a stop") {
  const auto engine = puppet("mute");
  std::optional<ErrorInfo> failure;
  engine->start(job(), [&](const EngineEvent& event) {
    if (const auto* failed = std::get_if<JobFailed>(&event)) failure = failed->error;
  });
  engine->stop();
  engine->wait();
  REQUIRE(failure);
  CHECK(failure->code == ErrorCode::Cancelled);
}
