// SPDX-License-Identifier: Apache-2.0
#include "remote/server.h"

#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <thread>

#include "remote/job_mirror.h"
#include "remote/pipe.h"
#include "remote/replay_engine.h"
#include "remote/values.h"
#include "session/synthetic.h"
#include "timing/pass.h"

using namespace opscope;
using namespace opscope::remote;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// serve() on a thread, and the client's ends of its pipes.
class Served {
 public:
  explicit Served(Engine& engine)
      : thread_([this, &engine] {
          code_ = serve(engine, toServer_.read.get(), fromServer_.write.get(),
                        {.log = [this](const std::string& line) { log += line + "\n"; },
                         .onEnd = [this] { ended = true; }});
          fromServer_.write.reset();
        }) {}
  ~Served() {
    hangUp();
    fromServer_.read.reset();
    thread_.join();
  }

  void sendBytes(const Bytes& bytes) {
    writeAll(toServer_.write.get(), bytes, std::chrono::milliseconds(-1));
  }
  void send(const Json& message) { sendBytes(frameOf(encode(message))); }
  void greet() { send({{"type", "hello"}, {"hello", toJson(ownHello())}}); }
  void hangUp() { toServer_.write.reset(); }

  // The next message; null at the end of the connection.
  Json receive() {
    while (true) {
      if (const auto payload = decoder_.next()) return decode(*payload);
      Bytes bytes;
      if (!readSome(fromServer_.read.get(), bytes, 5000)) return nullptr;
      decoder_.add(bytes);
    }
  }
  Json receive(const std::string& type) {
    while (true) {
      Json message = receive();
      if (message.is_null() || message.at("type") == type) return message;
    }
  }
  int code() {
    while (!receive().is_null()) {
    }
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([] {});
    return code_;
  }

  std::string log;
  std::atomic<bool> ended = false;

 private:
  Pipe toServer_ = openPipe();
  Pipe fromServer_ = openPipe();
  FrameDecoder decoder_;
  int code_ = -1;
  std::thread thread_;
};

ReplayEngine idle() {
  return ReplayEngine([](const Job&, const EngineHandler&) {});
}

// The synthetic run with passes that were judged, not made up: a receiver judges them again.
std::shared_ptr<const Run> judgedRun() {
  Run run = syntheticRun();
  run.findings.clear();
  const auto judgeAgain = [](std::shared_ptr<const Pass>& pass) {
    Pass copy = *pass;
    copy.clock = {};  // of a pass without a number it stays as it was
    judge(copy);
    pass = std::make_shared<const Pass>(std::move(copy));
  };
  for (auto& pass : run.passes) judgeAgain(pass);
  for (auto& pass : run.controls) judgeAgain(pass);
  for (ImplementationResult& result : run.implementations) result.failure.reset();
  summariseRun(run);
  run.findings.push_back({.severity = Finding::Severity::Note,
                          .rule = "r",
                          .sentence = "s",
                          .implementation = 1,
                          .pass = 2,
                          .iteration = 1,
                          .gap = -1,
                          .evidence = {{"share", 0.25, "share", ""}}});
  return std::make_shared<const Run>(std::move(run));
}

}  // namespace

TEST_CASE("a server says hello first, and who it is") {
  ReplayEngine engine = idle();
  Served served(engine);
  const Json hello = served.receive();
  REQUIRE(hello.at("type") == "hello");
  CHECK(helloFrom(hello.at("hello")) == ownHello());
}

TEST_CASE("nonsense ends the connection with a sentence and an exit code") {
  ReplayEngine engine = idle();
  const auto endsWith = [&](const Bytes& bytes, const char* sentence, bool greeted = true) {
    CAPTURE(sentence);
    Served served(engine);
    if (greeted) served.greet();
    served.sendBytes(bytes);
    CHECK(served.code() == kNotTheProtocol);
    CHECK_THAT(served.log, ContainsSubstring(sentence));
    CHECK(served.ended);
  };
  const auto message = [](const Json& json) { return frameOf(encode(json)); };
  endsWith({'G', 'E', 'T', ' ', '/'}, "over the limit", false);
  endsWith({0, 0, 0, 0}, "0 bytes");
  endsWith({1, 0, 0, 0, 0xe0}, "unknown kind");
  endsWith({255, 255, 255, 255}, "over the limit");
  endsWith(message({{"type", "start"}}), "no hello", false);
  endsWith(message({{"type", "hello"}}), "missing", false);
  endsWith(message({{"type", "shell"}}), "shell");
  endsWith(message({{"type", 3}}), "no text");
  endsWith(message({{"kind", "start"}}), "missing");
  endsWith(message({{"type", "start"}, {"job", {{"op", "add"}}}}), "missing");
  endsWith(message({{"type", "ask"}, {"id", 1}, {"what", "/etc/passwd"}}), "/etc/passwd");
  endsWith(message({{"type", "ask"}, {"id", "one"}, {"what", "devices"}}), "whole number");
  Hello other = ownHello();
  other.version = "0.0.9";
  endsWith(message({{"type", "hello"}, {"hello", toJson(other)}}), "0.0.9", false);
}

TEST_CASE("an end of input, whole or in the middle of a message, ends the server") {
  ReplayEngine engine = idle();
  {
    Served served(engine);
    served.greet();
    served.hangUp();
    CHECK(served.code() == kServed);
    CHECK(served.log.empty());
  }
  const Bytes hello = frameOf(encode({{"type", "hello"}, {"hello", toJson(ownHello())}}));
  for (std::size_t cut = 1; cut < hello.size(); ++cut) {
    Served served(engine);
    served.sendBytes(Bytes(hello.begin(), hello.begin() + static_cast<std::ptrdiff_t>(cut)));
    served.hangUp();
    CHECK(served.code() == kServed);
    CHECK_THAT(served.log, ContainsSubstring("in the middle"));
  }
  Served served(engine);
  served.greet();
  served.send({{"type", "bye"}});
  CHECK(served.code() == kServed);
}

TEST_CASE("questions are answered by their number, and a failure keeps its type") {
  ReplayEngine engine = idle();
  Served served(engine);
  served.greet();
  served.send({{"type", "ask"}, {"id", 7}, {"what", "catalogue"}});
  const Json answer = served.receive("answer");
  CHECK(answer.at("id") == 7);
  CHECK(catalogueFrom(answer.at("value")).ops.at(0).name == "replayed");
  served.send({{"type", "ask"}, {"id", 8}, {"what", "diagnose"}});
  const Json refused = served.receive("refused");
  CHECK(refused.at("id") == 8);
  CHECK(errorFrom(refused.at("error")).code == ErrorCode::DeviceUnavailable);
}

TEST_CASE("a run arrives as it was, with the same events") {
  const auto run = judgedRun();
  ReplayEngine engine([&](const Job&, const EngineHandler& handler) { tellRun(run, handler); });
  Served served(engine);
  served.greet();
  served.send({{"type", "start"}, {"job", toJson(Job{})}});
  JobMirror mirror;
  std::string events;
  std::shared_ptr<const Run> received;
  std::size_t passes = 0;
  while (!received) {
    const Json message = served.receive();
    REQUIRE_FALSE(message.is_null());
    if (message.at("type") == "hello") continue;
    const auto event = mirror.take(message);
    if (!event) continue;
    if (std::holds_alternative<JobStarted>(*event)) events += "started ";
    if (const auto* pass = std::get_if<PassFinished>(&*event)) {
      events += "pass ";
      CHECK(pass->pass->pass == run->passes.at(passes++)->pass);
    }
    if (const auto* finished = std::get_if<JobFinished>(&*event)) received = finished->run;
  }
  CHECK(events == "started pass pass pass ");
  CHECK(received->controls.size() == run->controls.size());
  CHECK(dump(*received) == dump(*run));
}

TEST_CASE("a pass of a block that is measured again is forgotten on both sides") {
  const auto run = judgedRun();
  ReplayEngine engine([&](const Job&, const EngineHandler& handler) {
    handler(JobStarted{begunOf(*run)});
    handler(PassFinished{run->passes[0]});
    handler(BlockRestarted{run->passes[0]->block});
    for (const auto& pass : run->passes) handler(PassFinished{pass});
    handler(JobFinished{run});
  });
  Served served(engine);
  served.greet();
  served.send({{"type", "start"}, {"job", toJson(Job{})}});
  JobMirror mirror;
  std::shared_ptr<const Run> received;
  while (!received) {
    const Json message = served.receive();
    REQUIRE_FALSE(message.is_null());
    if (message.at("type") == "hello") continue;
    const auto event = mirror.take(message);
    if (event && std::holds_alternative<BlockRestarted>(*event)) {
      CHECK(mirror.broken({ErrorCode::EngineDied, "x", "", {}}).run->passes.empty());
    }
    if (event)
      if (const auto* finished = std::get_if<JobFinished>(&*event)) received = finished->run;
  }
  CHECK(received->passes.size() == 3);
}

TEST_CASE("a slow reader holds up the job, and nothing is lost or piles up") {
  const auto run = judgedRun();
  std::atomic<int> told = 0;
  const int passes = 3000;  // some megabytes: far more than a pipe holds
  ReplayEngine engine([&](const Job&, const EngineHandler& handler) {
    handler(JobStarted{begunOf(*run)});
    for (int i = 0; i < passes; ++i) {
      auto pass = std::make_shared<Pass>(*run->passes[0]);
      pass->pass = static_cast<std::uint32_t>(i);
      handler(PassFinished{pass});
      ++told;
    }
    handler(JobFailed{{ErrorCode::Cancelled, "enough", "", {}}, nullptr});
  });
  Served served(engine);
  served.greet();
  served.send({{"type", "start"}, {"job", toJson(Job{})}});
  // Nobody reads: the job comes to a stop by itself, with what fits into the pipe.
  int before = -1;
  while (told == 0 || told != before) {
    before = told;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  CHECK(told < passes / 4);
  JobMirror mirror;
  std::uint32_t next = 0;
  while (true) {
    const Json message = served.receive();
    REQUIRE_FALSE(message.is_null());
    if (message.at("type") == "hello") continue;
    const auto event = mirror.take(message);
    if (!event) continue;
    if (const auto* pass = std::get_if<PassFinished>(&*event)) CHECK(pass->pass->pass == next++);
    if (std::holds_alternative<JobFailed>(*event)) break;
  }
  CHECK(next == passes);
}

TEST_CASE("a client that goes away stops the job") {
  ReplayEngine* own = nullptr;
  const auto run = judgedRun();
  ReplayEngine engine([&](const Job&, const EngineHandler& handler) {
    handler(JobStarted{begunOf(*run)});
    while (!own->stopped) handler(PassFinished{run->passes[0]});
    handler(JobFailed{{ErrorCode::Cancelled, "stopped", "", {}}, nullptr});
  });
  own = &engine;
  Served served(engine);
  served.greet();
  served.send({{"type", "start"}, {"job", toJson(Job{})}});
  served.receive("pass");
  served.hangUp();
  CHECK(served.code() == kServed);
  CHECK(engine.stopped);
}

TEST_CASE("a lost device ends the server after it has said so") {
  ReplayEngine engine([](const Job&, const EngineHandler& handler) {
    handler(JobProgress{{.phase = Phase::WarmUp, .implementation = "eager", .pass = 3, .passes = 4}});
    handler(JobFailed{{ErrorCode::DeviceLost, "cudaErrorIllegalAddress", "End it.", {}}, nullptr});
  });
  Served served(engine);
  served.greet();
  served.send({{"type", "start"}, {"job", toJson(Job{})}});
  JobMirror mirror;
  mirror.take(served.receive("progress"));
  const auto event = mirror.take(served.receive("failed"));
  REQUIRE(event);
  const ErrorInfo& error = std::get<JobFailed>(*event).error;
  CHECK(error.code == ErrorCode::DeviceLost);
  CHECK(error.message == "cudaErrorIllegalAddress in the phase \"warm up\" of eager, pass 3 of 4");
  CHECK_THAT(error.remedy, ContainsSubstring("started again by itself"));
  CHECK(served.code() == kLostDevice);
  CHECK_THAT(served.log, ContainsSubstring("cudaErrorIllegalAddress"));
}

TEST_CASE("signs of life say what the job does and for how long it has made no progress") {
  std::atomic<bool> end = false;
  ReplayEngine engine([&](const Job&, const EngineHandler& handler) {
    handler(JobStarted{std::make_shared<Run>()});
    handler(JobProgress{{.phase = Phase::Measure,
                         .implementation = "a",
                         .pass = 1,
                         .passes = 2,
                         .iteration = 5,
                         .iterations = 9}});
    end.wait(false);
    handler(JobFinished{std::make_shared<Run>()});
  });
  Served served(engine);
  served.greet();
  served.send({{"type", "start"}, {"job", toJson(Job{})}});
  CHECK(progressFrom(served.receive("progress").at("progress")).iteration == 5);
  std::int64_t still = 0;
  for (int i = 0; i < 3; ++i) {
    const Json alive = served.receive("alive");
    CHECK(progressFrom(alive.at("progress")).phase == Phase::Measure);
    CHECK(alive.at("still_ns").get<std::int64_t>() > still);
    still = alive.at("still_ns").get<std::int64_t>();
  }
  end = true;
  end.notify_all();
  CHECK(served.receive("finished").at("passes").empty());
  CHECK_FALSE(served.receive("alive").contains("still_ns"));
}
