// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/subprocess.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> on(const std::string& command, const std::string& op,
                            const std::vector<std::string>& more) {
  std::vector<std::string> words{command, "--op",        op, "--device", "host", "--iterations",
                                 "12",    "--warmup-ms", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("controls are shown, written and kept") {
  const TemporaryFolder folder;
  const std::string set = (folder / "set").string(), session = (folder / "s.opscope").string();
  const Finished done =
      runOpscope(on("run", "trap_host_sleep",
                    {"--control", "prequeued", "--control", "tracing", "--csv", set, "--session", session}));
  INFO(done.err);
  REQUIRE(done.exitCode == 0);
  CHECK_THAT(done.out,
             ContainsSubstring("when the whole call is queued ahead") && ContainsSubstring("2. same"));
  CHECK_THAT(done.out, ContainsSubstring("event pairs around the call, n "));
  CHECK(fs::file_size(fs::path(set) / "prequeued.csv") > 0);
  CHECK_FALSE(fs::exists(fs::path(set) / "methods.csv"));
  CHECK(readSession(session).runs.at(0)->controls.size() == 1);
  CHECK(runOpscope({"show", session}).out == done.out);
}

TEST_CASE("a call that cannot be queued ahead is measured all the same") {
  const Finished done = runOpscope(on("compare", "trap_synchronise", {"--control", "prequeued"}));
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.out, ContainsSubstring("waits for the device inside itself"));
}

TEST_CASE("methods stand beside the records") {
  const Finished done = runOpscope(on("methods", "trap_dependency", {}));
  INFO(done.err);
  CHECK(done.exitCode == 0);
  for (const char* method :
       {"records: busy", "records: latency", "clock pair", "clock loop", "host wall clock", "has no graphs"})
    CHECK_THAT(done.out, ContainsSubstring(method));
}

TEST_CASE("a control that does not exist is a usage error, and so is one of methods") {
  CHECK(runOpscope(on("run", "trap_host_sleep", {"--control", "magic"})).exitCode == 2);
  CHECK(runOpscope(on("methods", "trap_host_sleep", {"--control", "tracing"})).exitCode == 2);
}

TEST_CASE("a rotation that would take too many copies is refused in words") {
  const Finished done =
      runOpscope(on("run", "rms_norm", {"--l2", "rotate", "--workload", "tiny", "--dim", "M=1"}));
  CHECK(done.exitCode == 5);
  CHECK_THAT(done.err, ContainsSubstring("NotSupported") && ContainsSubstring("at most 1024 are made"));
}
