// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
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

Words suite(const fs::path& session, const Words& more) {
  Words words{"suite", "--device", "host",           "--l2",        "warm", "--iterations",
              "2",     "--out",    session.string(), "--warmup-ms", "0"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a suite is one session; the same again measures nothing and has the same exit code") {
  const TemporaryFolder folder;
  const fs::path session = folder / "s.opscope";
  const Finished first = runOpscope(suite(session, {"--filter", "rms_norm"}));
  INFO(first.err);
  CHECK(first.exitCode == 0);
  CHECK_THAT(first.out, ContainsSubstring("Slowest") && ContainsSubstring("one-pass") &&
                            ContainsSubstring("Left out:") && ContainsSubstring("host CPU figures"));
  const std::size_t runs = readSession(session).runs.size();
  CHECK(runs >= 2);
  const Finished again = runOpscope(suite(session, {"--filter", "rms_norm"}));
  CHECK(again.exitCode == 0);
  CHECK_THAT(again.out, ContainsSubstring("not measured again"));
  CHECK(readSession(session).runs.size() == runs);
  const Finished shown = runOpscope({"show", session.string()});
  CHECK(shown.exitCode == 0);
  CHECK_THAT(shown.out, ContainsSubstring("rms_norm"));
}

TEST_CASE("a suite that is killed outright goes on where it was") {
  const TemporaryFolder folder;
  const fs::path session = folder / "s.opscope";
  const Words jobs{"--filter", "rms_norm/tiny/", "--blocks", "60"};
  // One job is whole, and of the next there are passes.
  const auto isInTheSecond = [&] {
    try {
      const auto runs = readSession(session).runs;
      return runs.size() >= 2 && runs.back()->cancelled && runs.back()->passes.size() >= 2;
    } catch (const Error&) {
      return false;  // it is not there yet
    }
  };
  const Finished killed = runOpscope(suite(session, jobs), [&](pid_t process) {
    while (!isInTheSecond()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(process, SIGKILL);
  });
  CHECK(killed.exitCode == -1);
  const auto kept = readSession(session).runs;
  REQUIRE(kept.size() >= 2);
  CHECK(std::all_of(kept.begin(), kept.end() - 1, [](const auto& run) { return !run->cancelled; }));
  const Run& begun = *kept.back();
  CHECK(begun.cancelled);
  CHECK_THAT(begun.note, ContainsSubstring("ended before this run did"));
  CHECK(begun.environment.contains("suite request"));
  REQUIRE(begun.passes.size() >= 2);
  for (const auto& pass : begun.passes) {  // whole
    CHECK_FALSE(pass->samples.empty());
    CHECK(pass->samples.size() == pass->trace.iterations.size());
  }

  Words words = suite(session, jobs);
  words.insert(words.end(), {"--csv", "-"});
  const Finished rest = runOpscope(words);
  INFO(rest.err);
  CHECK(rest.exitCode == 0);
  CHECK_THAT(rest.err, ContainsSubstring("in the session before"));
  // Every row has a number now, whoever measured it.
  CHECK_THAT(rest.out, !ContainsSubstring(",failed,") && ContainsSubstring(",measured,"));
  // What was whole is as it was; what was begun is there once, whole.
  const auto runs = readSession(session).runs;
  REQUIRE(runs.size() >= kept.size());
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) CHECK(dump(*runs[i]) == dump(*kept[i]));
  CHECK(std::none_of(runs.begin(), runs.end(), [](const auto& run) { return run->cancelled; }));
  CHECK(std::count_if(runs.begin(), runs.end(), [&](const auto& run) {
          return run->environment.at("suite request") == begun.environment.at("suite request") &&
                 run->op == begun.op && run->dtype == begun.dtype;
        }) == 1);
  CHECK_THAT(runOpscope(words).out, !ContainsSubstring(",failed,"));
  CHECK(readSession(session).runs.size() == runs.size());
}

TEST_CASE("Ctrl+C ends a suite with 130 and keeps what was finished") {
  const TemporaryFolder folder;
  const fs::path session = folder / "s.opscope";
  const Words jobs{"--blocks", "2000", "--filter", "rms_norm/tiny/"};
  const Finished done = runOpscope(suite(session, jobs), [&](pid_t process) {
    const auto hasPasses = [&] {
      try {
        const auto runs = readSession(session).runs;
        return !runs.empty() && runs.back()->passes.size() >= 2;
      } catch (const Error&) {
        return false;  // it is not there yet
      }
    };
    while (!hasPasses()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(process, SIGINT);
  });
  INFO(done.err);
  CHECK(done.exitCode == 130);
  CHECK_THAT(done.out, ContainsSubstring("Interrupted"));
  const auto runs = readSession(session).runs;
  REQUIRE(runs.size() == 1);
  CHECK(runs[0]->cancelled);
  CHECK(runs[0]->passes.size() >= 2);
  CHECK(runs[0]->environment.contains("suite request"));
  CHECK_FALSE(fs::exists(folder / "s.opscope-wal"));
}

TEST_CASE("a list of jobs, its failures as rows, and the worst of them as the exit code") {
  const TemporaryFolder folder;
  const fs::path list = folder / "jobs.yaml";
  writeText(list, R"(jobs:
  - {op: trap_wrong_result, dims: {n: 64}}
  - {op: crash_abort, dims: {n: 64, after: 4}}
  - {op: rms_norm, workload: tiny, dtypes: [float32]}
)");
  const fs::path session = folder / "s.opscope";
  const Words words = suite(session, {"--jobs", list.string(), "--engine", "process"});
  const Finished done = runOpscope(words);
  INFO(done.err << done.out);
  CHECK(done.exitCode == 8);
  CHECK_THAT(done.out, ContainsSubstring("WrongResult") && ContainsSubstring("EngineDied") &&
                           ContainsSubstring("SIGABRT") && ContainsSubstring("verified"));
  const Finished again = runOpscope(words);
  CHECK(again.exitCode == 8);  // what failed before has still failed
  CHECK_THAT(again.out, ContainsSubstring("3 jobs were in the session before"));
  writeText(list, "jobs:\n  - {op: rms_nrom}\n");
  const Finished bad = runOpscope(words);
  CHECK(bad.exitCode == 5);
  CHECK_THAT(bad.err, ContainsSubstring("jobs.yaml:2:10") && ContainsSubstring("rms_norm"));
}

TEST_CASE("what a suite cannot begin with is said before it measures") {
  const TemporaryFolder folder;
  const fs::path session = folder / "s.opscope";
  CHECK(runOpscope(suite(session, {"--shard", "3/2"})).exitCode == 2);
  CHECK(runOpscope(suite(session, {"--workloads", "huge"})).exitCode == 2);
  CHECK(runOpscope(suite(session, {"--filter", "no-such-op"})).exitCode == 5);
  CHECK(runOpscope({"suite", "--device", "cuda:99", "--out", session.string()}).exitCode == 4);
  CHECK_FALSE(fs::exists(session));
  writeText(session, "not a session");
  CHECK(runOpscope(suite(session, {})).exitCode == 7);
  CHECK(runOpscope(suite("/no/such/folder/s.opscope", {})).exitCode == 7);
}

TEST_CASE("shards are disjoint, together everything, and merge into one session") {
  const TemporaryFolder folder;
  std::vector<std::string> parts;
  std::size_t runs = 0;
  for (const std::string shard : {"1/3", "2/3", "3/3"}) {
    parts.push_back((folder / ("part-" + shard.substr(0, 1) + ".opscope")).string());
    const Finished done = runOpscope(suite(parts.back(), {"--filter", "rms_norm", "--shard", shard}));
    INFO(done.err);
    CHECK(done.exitCode == 0);
    runs += readSession(parts.back()).runs.size();
  }
  const fs::path all = folder / "all.opscope";
  const Finished merged = runOpscope({"merge", all.string(), parts[0], parts[1], parts[2], parts[0]});
  CHECK(merged.exitCode == 0);
  CHECK_THAT(merged.err, ContainsSubstring(std::to_string(runs) + " runs of 4 sessions"));
  CHECK(readSession(all).runs.size() == runs);
  const Finished whole = runOpscope(suite(all, {"--filter", "rms_norm"}));
  CHECK(whole.exitCode == 0);
  CHECK_THAT(whole.out, ContainsSubstring(std::to_string(runs) + " jobs were in the session before"));
  CHECK(readSession(all).runs.size() == runs);  // nothing was missing
  CHECK(runOpscope({"merge", all.string(), parts[0]}).exitCode == 7);
  CHECK(runOpscope({"merge", all.string()}).exitCode == 2);
}

TEST_CASE("a sweep has a row for each size and implementation, and a run per size") {
  const TemporaryFolder folder;
  const fs::path session = folder / "s.opscope";
  const Words common{"sweep",    "--op",        "rms_norm",  "--workload",    "tiny",
                     "--device", "host",        "--l2",      "warm",          "--iterations",
                     "2",        "--warmup-ms", "0",         "--impl",        "one-pass",
                     "--csv",    "-",           "--session", session.string()};
  const auto sweep = [&](const std::string& axis) {
    Words words = common;
    words.insert(words.end(), {"--axis", axis});
    return runOpscope(words);
  };
  const Finished done = sweep("M=4:16:2x");
  INFO(done.err);
  CHECK(done.exitCode == 0);
  CHECK(std::count(done.out.begin(), done.out.end(), '\n') == 4);
  for (const char* size : {"\r\n4,rms_norm", "\r\n8,rms_norm", "\r\n16,rms_norm"})
    CHECK_THAT(done.out, ContainsSubstring(size));
  CHECK(readSession(session).runs.size() == 3);
  // 2^40 rows: refused for this size alone.
  const Finished tooLarge = sweep("M=1099511627776,8");
  CHECK(tooLarge.exitCode != 0);
  CHECK_THAT(tooLarge.out, ContainsSubstring("\r\n1099511627776,rms_norm,") &&
                               ContainsSubstring(",failed,") && ContainsSubstring("\r\n8,rms_norm,"));
  CHECK(sweep("M=4:16:0x").exitCode == 2);
  CHECK(sweep("Q=4").exitCode == 5);
}

TEST_CASE("a suite against an earlier one: rows by verdict, a session of its own is refused") {
  const TemporaryFolder folder;
  const fs::path then = folder / "then.opscope";
  const fs::path now = folder / "now.opscope";
  const Words some{"--filter", "rms_norm/tiny/", "--blocks", "2"};
  REQUIRE(runOpscope(suite(then, some)).exitCode == 0);
  Words words = suite(now, some);
  words.insert(words.end(), {"--baseline", then.string()});
  const Finished done = runOpscope(words);
  INFO(done.err << done.out);
  CHECK(done.exitCode == 0);  // whatever became slower: nobody asked for it to fail
  CHECK_THAT(done.out, ContainsSubstring("Since " + then.string()) && ContainsSubstring("share no block"));
  words.insert(words.end(), {"--csv", "-"});
  CHECK_THAT(runOpscope(words).out, ContainsSubstring("earlier_ratio"));
  words = suite(then, some);
  words.insert(words.end(), {"--baseline", then.string()});
  CHECK(runOpscope(words).exitCode == 5);
  CHECK(runOpscope(suite(now, {"--fail-if-slower"})).exitCode == 2);
  CHECK(runOpscope(suite(now, {"--baseline", "/no/such.opscope"})).exitCode == 2);
}
