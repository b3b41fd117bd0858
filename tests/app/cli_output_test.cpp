// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <nlohmann/json.hpp>

#include "app/subprocess.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

Words quickNorm(const Words& more) {
  Words words{"compare", "--op",         "rms_norm", "--workload",  "tiny", "--device",
              "host",    "--measure-ms", "5",        "--warmup-ms", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("every format is written, and the session shows the same table") {
  const TemporaryFolder folder;
  const std::string set = (folder / "set").string();
  const std::string session = (folder / "s.opscope").string();
  const Finished done =
      runOpscope(quickNorm({"--csv", set, "--json", (folder / "r.json").string(), "--markdown",
                            (folder / "r.md").string(), "--session", session}));
  INFO(done.err);
  REQUIRE(done.exitCode == 0);
  for (const char* name :
       {"summary.csv", "samples.csv", "kernels.csv", "gaps.csv", "passes.csv", "telemetry.csv"})
    CHECK(fs::file_size(fs::path(set) / name) > 0);
  CHECK(nlohmann::json::parse(readText(folder / "r.json")).at("runs").at(0).at("op") == "rms_norm");
  CHECK_THAT(readText(folder / "r.md"), ContainsSubstring("| eager |"));
  CHECK_THAT(done.err, ContainsSubstring("wrote " + session));
  CHECK_FALSE(fs::exists(session + "-wal"));
  REQUIRE(readSession(session).runs.size() == 1);

  const Finished shown = runOpscope({"show", session});
  CHECK(shown.exitCode == 0);
  CHECK(shown.out == done.out);
  REQUIRE(runOpscope(quickNorm({"--session", session, "--quiet"})).exitCode == 0);
  CHECK(readSession(session).runs.size() == 2);
}

TEST_CASE("counters that the host does not have cost a sentence and nothing else") {
  const TemporaryFolder folder;
  const std::string set = (folder / "set").string();
  const Finished done = runOpscope(quickNorm({"--counters", "--csv", set}));
  INFO(done.err);
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.out, ContainsSubstring("memory moved in a call, by the device's counters"));
  CHECK_THAT(done.out, ContainsSubstring("NotSupported: The host device has no memory counters"));
  CHECK_THAT(readText(fs::path(set) / "counters.csv"), ContainsSubstring("NotSupported"));
  CHECK(runOpscope(quickNorm({})).out.find("counters") == std::string::npos);
}

TEST_CASE("a dash is standard output, and nothing else goes there") {
  const Finished json = runOpscope(quickNorm({"--json", "-"}));
  CHECK(json.exitCode == 0);
  CHECK(nlohmann::json::accept(json.out));
  const Finished csv = runOpscope(quickNorm({"--csv", "-", "--quiet"}));
  CHECK(csv.out.starts_with("op,workload,"));
  CHECK(csv.err.empty());
  CHECK(runOpscope(quickNorm({"--markdown", "-"})).out.starts_with("**rms_norm"));
}

TEST_CASE("a place that cannot be written is found before anything is measured") {
  const TemporaryFolder folder;
  const std::string missing = (folder / "no" / "file").string();
  writeText(folder / "notes.txt", "keep me");
  const std::string notes = (folder / "notes.txt").string();
  for (const Words& words :
       {Words{"--json", missing}, Words{"--markdown", missing}, Words{"--csv", missing + ".csv"},
        Words{"--session", missing}, Words{"--json", folder.path().string()}, Words{"--csv", notes},
        Words{"--session", notes}}) {
    CAPTURE(words);
    // An op that measures for a minute: it would show.
    Words all = quickNorm({"--iterations", "100000"});
    all.insert(all.end(), words.begin(), words.end());
    const Finished done = runOpscope(all);
    CHECK(done.exitCode == 7);
    CHECK(done.out.empty());
    CHECK_THAT(done.err, ContainsSubstring("Cannot") || ContainsSubstring("not an Opscope session"));
  }
  CHECK(readText(folder / "notes.txt") == "keep me");
}

TEST_CASE("a write that fails after the measurement costs neither the table nor the other files") {
  if (!fs::exists("/dev/full")) SKIP("this system has no /dev/full");
  const TemporaryFolder folder;
  const Finished done =
      runOpscope(quickNorm({"--json", "/dev/full", "--markdown", (folder / "r.md").string()}));
  CHECK(done.exitCode == 7);
  CHECK_THAT(done.out, ContainsSubstring("one-pass"));
  CHECK_THAT(done.err, ContainsSubstring("/dev/full"));
  CHECK(fs::exists(folder / "r.md"));
}

TEST_CASE("a job that never ran leaves no empty session behind") {
  const TemporaryFolder folder;
  const Finished done = runOpscope(
      {"run", "--op", "nothing", "--device", "host", "--session", (folder / "s.opscope").string()});
  CHECK(done.exitCode == 5);
  CHECK_FALSE(fs::exists(folder / "s.opscope"));
}

TEST_CASE("show refuses what is no session") {
  const TemporaryFolder folder;
  writeText(folder / "x", "not a session, but long enough to be looked at");
  for (const std::string& file :
       {(folder / "x").string(), (folder / "missing").string(), folder.path().string()}) {
    const Finished done = runOpscope({"show", file});
    CHECK(done.exitCode == 7);
    CHECK_THAT(done.err, ContainsSubstring(file));
  }
}

TEST_CASE("show writes a session out again") {
  const TemporaryFolder folder;
  writeSession(folder / "s.opscope", {std::make_shared<Run>(syntheticRun())});
  const Finished done = runOpscope({"show", (folder / "s.opscope").string(), "--json", "-"});
  CHECK(done.exitCode == 0);
  CHECK(nlohmann::json::parse(done.out).at("runs").at(0).at("device").at("name") == "NVIDIA H200");
}
