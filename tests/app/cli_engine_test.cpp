// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <thread>

#include "app/subprocess.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

const std::string kThroughShell = std::string("sh -c '") + OPSCOPE_PROGRAM + " serve'";

}  // namespace

TEST_CASE("an engine of its own measures, lists and is looked at like the one within") {
  for (const std::string& engine : {std::string("process"), kThroughShell}) {
    CAPTURE(engine);
    const Finished done = runOpscope({"compare", "--op", "rms_norm", "--workload", "tiny", "--device", "host",
                                      "--measure-ms", "5", "--warmup-ms", "1", "--engine", engine});
    INFO(done.err);
    CHECK(done.exitCode == 0);
    CHECK_THAT(done.out, ContainsSubstring("one-pass") && ContainsSubstring("verified") &&
                             ContainsSubstring("passes A B B A"));
    CHECK(runOpscope({"list", "--engine", engine}).out == runOpscope({"list"}).out);
    const Finished doctor = runOpscope({"doctor", "--engine", engine});
    CHECK(doctor.exitCode == 0);
    CHECK_THAT(doctor.out, ContainsSubstring("[ok]") && ContainsSubstring("host"));
  }
}

TEST_CASE("an engine that dies is 8, the others are measured, and what had finished is in the session") {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.opscope").string();
  const Finished done = runOpscope(
      {"run", "--op",        "crash_abort", "--device",     "host", "--dim",    "after=400", "--blocks",
       "60",  "--dim",       "n=64",        "--iterations", "20",   "--engine", "process",   "--warmup-ms",
       "0",   "--settle-ms", "0",           "--session",    session});
  INFO(done.err);
  CHECK(done.exitCode == 8);
  CHECK_THAT(done.err, ContainsSubstring("EngineDied") && ContainsSubstring("SIGABRT"));
  REQUIRE(fs::exists(session));
  const auto run = readSession(session).runs.at(0);
  CHECK(run->cancelled);
  CHECK_FALSE(run->passes.empty());
  CHECK_THAT(run->note, ContainsSubstring("SIGABRT"));
}

TEST_CASE("a call that never ends is ended after the limit that was given") {
  const Finished done = runOpscope(
      {"run", "--op", "crash_endless", "--device", "host", "--engine", "process", "--stall-limit", "1"});
  INFO(done.err);
  CHECK(done.exitCode == 8);
  // Both implementations, each with an engine of its own.
  CHECK_THAT(done.err, ContainsSubstring("of kernel") && ContainsSubstring("of call") &&
                           ContainsSubstring("no progress"));
}

TEST_CASE("an engine that is not there is 8, and a command line that is none is 5") {
  const Finished missing = runOpscope({"doctor", "--engine", "no-such-program-anywhere serve"});
  CHECK(missing.exitCode == 8);
  CHECK_THAT(missing.err, ContainsSubstring("no-such-program-anywhere"));
  CHECK(runOpscope({"list", "--engine", "ssh 'gpu-box"}).exitCode == 5);
  const Finished folders = runOpscope({"list", "--engine", kThroughShell, "--ops", "/tmp"});
  CHECK(folders.exitCode == 5);
  CHECK_THAT(folders.err, ContainsSubstring("--ops"));
}

TEST_CASE("Ctrl+C reaches an engine of its own, and its passes come back") {
  const TemporaryFolder folder;
  const fs::path session = folder / "s.opscope";
  const Finished done =
      runOpscope({"compare", "--op", "rms_norm", "--workload", "tiny", "--device", "host", "--iterations",
                  "2", "--blocks", "10000", "--engine", "process", "--session", session.string()},
                 [&](pid_t process) {
                   while (!fs::exists(session)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
                   kill(process, SIGINT);
                 });
  INFO(done.err);
  CHECK(done.exitCode == 130);
}

TEST_CASE("serve accepts nothing but the protocol") {
  // Its input is ours, which is no client's: whatever it holds, it ends.
  const Finished done = runOpscope({"serve", "--ops", "/no/such/folder"});
  CHECK(done.exitCode == 2);
}
