// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <thread>

#include "app/subprocess.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

// Hours of short passes, unless somebody stops it.
std::vector<std::string> endless(const fs::path& session) {
  return {"compare",      "--op", "rms_norm", "--workload", "tiny",      "--device",      "host",
          "--iterations", "2",    "--blocks", "10000",      "--session", session.string()};
}

// The session file is made once the program listens to signals and before it measures.
void waitFor(const fs::path& file) {
  while (!fs::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

TEST_CASE("Ctrl+C drains, reports what had finished, and is 130") {
  const TemporaryFolder folder;
  const fs::path session = folder / "s.opscope";
  for (const int signal : {SIGINT, SIGTERM}) {
    const Finished done = runOpscope(endless(session), [&](pid_t process) {
      waitFor(session);
      kill(process, signal);
    });
    INFO(done.err);
    CHECK(done.exitCode == 130);
    CHECK_THAT(done.err, ContainsSubstring("stopping"));
    if (fs::exists(session)) {  // there is a run once the device is open
      CHECK_THAT(done.out, ContainsSubstring("Interrupted"));
      CHECK(readSession(session).runs.back()->cancelled);
    }
    fs::remove(session);
  }
}

TEST_CASE("a second Ctrl+C ends at once") {
  const TemporaryFolder folder;
  const fs::path session = folder / "s.opscope";
  const Finished done = runOpscope(endless(session), [&](pid_t process) {
    waitFor(session);
    // Two at once may become one; the third and later ones find nobody, or a program that is ending anyway.
    while (kill(process, SIGINT) == 0 && kill(process, 0) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      siginfo_t info{};
      if (waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          info.si_pid == process)
        break;
    }
  });
  CHECK(done.exitCode == 130);
}

TEST_CASE("progress is one line on a terminal, rewritten, and gone at the end") {
  const Finished done = runOpscope({"compare", "--op", "rms_norm", "--workload", "tiny", "--device", "host",
                                    "--measure-ms", "1500", "--warmup-ms", "100"},
                                   {}, true);
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.err, ContainsSubstring("\r\x1b[K") && ContainsSubstring(" of "));
  CHECK(done.err.ends_with("\r\x1b[K"));
  const Finished quiet = runOpscope({"compare", "--op", "rms_norm", "--workload", "tiny", "--device", "host",
                                     "--measure-ms", "5", "--quiet"},
                                    {}, true);
  CHECK(quiet.err.empty());
}
