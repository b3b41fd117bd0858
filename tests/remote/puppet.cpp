// SPDX-License-Identifier: Apache-2.0
//
// Speaks the protocol and then misbehaves as its first argument says, in the phase that its second one names:
//   die PHASE     kills itself with SIGKILL, after one pass
//   hang PHASE    makes no progress any more, but lives and says so; does not stop when asked
//   freeze PHASE  says nothing any more (stops all its threads)
//   unborn FILE   dies of each of the first two jobs before telling anything; counts them in FILE
//   stillborn     dies of every job before telling anything
//   other         is of another version
//   mute          says nothing at all
//   chatty        prints a welcome instead of the protocol
//   refuse        ends at once, with a sentence in its log
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "remote/pipe.h"
#include "remote/replay_engine.h"
#include "remote/server.h"
#include "remote/values.h"
#include "timing/pass.h"

using namespace opscope;

namespace {

void sleepForEver() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

Phase phaseNamed(const std::string& name) {
  for (int p = 0; p < static_cast<int>(Phase::Done); ++p)
    if (nameOf(static_cast<Phase>(p)) == name) return static_cast<Phase>(p);
  return Phase::Done;
}

std::shared_ptr<const Pass> onePass() {
  Pass pass;
  pass.trace.dropped.proven = true;
  pass.trace.oneClock = true;
  const std::uint32_t kernel = pass.trace.names.intern("kernel"), api = pass.trace.names.intern("launch");
  pass.trace.internShape({});
  pass.trace.launches.push_back({1000, 2000, 1, 7, api, LaunchKind::Kernel});
  pass.trace.kernels.push_back({3000, 6000, 0, 0, 1, kernel, 0, 0, 0, 0});
  pass.trace.externalIds.push_back({0, 1});
  pass.trace.iterations.push_back({900, 2000, 7000});
  judge(pass);
  return std::make_shared<const Pass>(std::move(pass));
}

Run run() {
  Run run;
  run.op = "puppet";
  run.implementations.push_back({.name = "string", .doc = {}});
  return run;
}

int otherVersion() {
  remote::Hello hello = remote::ownHello();
  hello.version = "9.9.9";
  remote::writeAll(STDOUT_FILENO,
                   remote::frameOf(remote::encode({{"type", "hello"}, {"hello", toJson(hello)}})),
                   std::chrono::milliseconds(-1));
  sleepForEver();
  return 0;
}

void perform(const std::string& mode, const std::string& argument, const Job& job,
             const EngineHandler& handler) {
  if (job.op == "good") {
    Run finished = run();
    const auto pass = onePass();
    handler(JobStarted{std::make_shared<Run>(finished)});
    handler(PassFinished{pass});
    finished.passes.push_back(pass);
    summariseRun(finished);
    handler(JobFinished{std::make_shared<Run>(finished)});
    return;
  }
  if (mode == "stillborn") raise(SIGKILL);
  if (mode == "unborn") {
    std::string deaths;
    std::ifstream(argument) >> deaths;
    if (deaths.size() < 2) {
      std::ofstream(argument) << deaths + "x";
      raise(SIGKILL);
    }
    perform(mode, argument, {.op = "good", .workload = {}, .dtype = {}}, handler);
    return;
  }
  const Phase phase = phaseNamed(argument);
  handler(JobStarted{std::make_shared<Run>(run())});
  handler(PassFinished{onePass()});
  handler(JobProgress{{.phase = phase,
                       .implementation = "string",
                       .pass = 2,
                       .passes = 4,
                       .iteration = 12,
                       .iterations = 50}});
  if (mode == "die") {
    fmt::print(stderr, "the string broke\n");
    raise(SIGKILL);
  }
  if (mode == "freeze") raise(SIGSTOP);
  sleepForEver();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "", argument = argc > 2 ? argv[2] : "";
  if (mode == "other") return otherVersion();
  if (mode == "mute") sleepForEver();
  if (mode == "chatty") {
    fmt::print("Welcome to gpu-box!\nLast login: yesterday\n");
    return 0;
  }
  if (mode == "refuse") {
    fmt::print(stderr, "someone@gpu-box: Permission denied (publickey).\n");
    return 255;
  }
  test::ReplayEngine engine(
      [&](const Job& job, const EngineHandler& handler) { perform(mode, argument, job, handler); });
  const auto endSoon = [] {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      _exit(8);
    }).detach();
  };
  return remote::serve(engine, STDIN_FILENO, STDOUT_FILENO, {.log = {}, .onEnd = endSoon});
}
