// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/subprocess.h"
#include "session/gated_runs.h"
#include "session/kept.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

Words measured(const std::string& session, const Words& more = {}) {
  Words words{"compare",      "--op", "rms_norm",    "--workload", "tiny",      "--device", "host",
              "--measure-ms", "5",    "--warmup-ms", "1",          "--session", session,    "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A session refuses kernels without a launch shape.
void withShapes(Run& run) {
  for (auto& pass : run.passes) {
    auto shaped = std::make_shared<Pass>(*pass);
    shaped->trace.shapes.emplace_back();
    pass = std::move(shaped);
  }
}

// A session of one run of four passes.
std::string sessionOf(const TemporaryFolder& folder, const std::string& name, Ns busy,
                      const std::string& kernel = "norm", std::int64_t day = 1) {
  Run run = runOfPasses({busy, busy + 10, busy + 20, busy + 30}, kernel);
  withShapes(run);
  run.startedUnixNs = day * 86'400 * kSecond;
  const fs::path file = folder / name;
  writeSession(file, {std::make_shared<Run>(std::move(run))});
  return file.string();
}

bool isOnePlainFile(const std::string& file) {
  return fs::exists(file) && !fs::exists(file + "-wal") && !fs::exists(file + "-shm");
}

}  // namespace

TEST_CASE("a run says what was said of it, when it was measured or afterwards") {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.opscope").string();
  for (const std::string note : {"before the change", "after it"})
    REQUIRE(runOpscope(measured(session, {"--note", note})).exitCode == 0);
  const auto notes = [&] {
    std::vector<std::string> all;
    for (const auto& run : readSession(session).runs) all.push_back(run->note);
    return all;
  };
  CHECK(notes() == Words{"before the change", "after it"});
  CHECK(runOpscope({"note", session, "with -O3", "--run", "1"}).exitCode == 0);
  CHECK(runOpscope({"note", session, "as released"}).exitCode == 0);
  CHECK(notes() == Words{"with -O3", "as released"});
  CHECK(isOnePlainFile(session));
  const Finished shown = runOpscope({"show", session, "--markdown", "-"});
  CHECK_THAT(shown.out, ContainsSubstring("with -O3") && ContainsSubstring("as released"));
  CHECK(runOpscope({"note", session, ""}).exitCode == 0);
  CHECK(notes() == Words{"with -O3", ""});
  const Finished missing = runOpscope({"note", session, "x", "--run", "3"});
  CHECK(missing.exitCode == 5);
  CHECK_THAT(missing.err, ContainsSubstring("has no run 3: it has 2"));
  CHECK(runOpscope({"note", (folder / "none.opscope").string(), "x"}).exitCode == 7);
  CHECK_FALSE(fs::exists(folder / "none.opscope"));
}

TEST_CASE("a session keeps what --records says, and says what it has not") {
  const TemporaryFolder folder;
  for (const std::string kept : {"all", "summary", "none"}) {
    const std::string session = (folder / (kept + ".opscope")).string();
    REQUIRE(runOpscope(measured(session, {"--records", kept})).exitCode == 0);
    CHECK(isOnePlainFile(session));
    const auto run = readSession(session).runs.at(0);
    CHECK(nameOf(keptOf(*run)) == kept);
    CHECK(run->implementations.at(0).hasNumber());
    const Finished shown = runOpscope({"show", session});
    CHECK(shown.exitCode == 0);
    CHECK((shown.out.find("no timeline") != std::string::npos) == (kept != "all"));
    const Finished chrome = runOpscope({"export", session, "--chrome", "-"});
    CHECK(chrome.exitCode == (kept == "all" ? 0 : 5));
    if (kept != "all") CHECK_THAT(chrome.err, ContainsSubstring("There is no Chrome trace of rms_norm"));
    const Finished csv = runOpscope({"export", session, "--csv", (folder / kept).string()});
    CHECK(csv.exitCode == 0);
    CHECK(fs::exists(folder / kept / "kernels.csv") == (kept == "all"));
    CHECK((csv.err.find("no raw records") != std::string::npos) == (kept != "all"));
  }
  CHECK(fs::file_size(folder / "summary.opscope") < fs::file_size(folder / "all.opscope"));
  CHECK(runOpscope(measured("x", {"--records", "some"})).exitCode == 2);
  const std::string sweep = (folder / "sweep.opscope").string();
  REQUIRE(runOpscope({"sweep", "--op", "rms_norm", "--workload", "tiny", "--axis", "M=8,16", "--device",
                      "host", "--measure-ms", "1", "--warmup-ms", "1", "--impl", "one-pass", "--records",
                      "none", "--session", sweep})
              .exitCode == 0);
  for (const auto& run : readSession(sweep).runs) CHECK(keptOf(*run) == RecordsKept::None);
}

TEST_CASE("a measurement that is killed leaves a session with the passes that had finished") {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.opscope").string();
  const Finished done =
      runOpscope({"compare", "--op", "rms_norm", "--workload", "tiny", "--device", "host", "--iterations",
                  "2", "--blocks", "10000", "--note", "on battery", "--session", session},
                 [&](pid_t process) {
                   // Until another program sees a pass in it.
                   while (true) {
                     std::this_thread::sleep_for(std::chrono::milliseconds(20));
                     try {
                       const Session seen = readSession(session);
                       if (!seen.runs.empty() && seen.runs[0]->passes.size() >= 3) break;
                     } catch (const Error&) {
                       continue;  // it is being made
                     }
                   }
                   kill(process, SIGKILL);
                 });
  CHECK(done.exitCode == -1);
  const Finished shown = runOpscope({"show", session});
  CHECK(shown.exitCode == 0);
  CHECK_THAT(shown.out, ContainsSubstring("on battery The program ended before this run did"));
  CHECK(readSession(session).runs.at(0)->passes.size() >= 3);
  // And the next measurement goes into the same file.
  REQUIRE(runOpscope(measured(session)).exitCode == 0);
  CHECK(isOnePlainFile(session));
  CHECK(readSession(session).runs.size() == 2);
}

TEST_CASE("a file that may not grow costs the session and not the table, and is 7") {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.opscope").string();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit less{rlim_t{1} << 20, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &less);
  const Finished done =
      runOpscope({"compare", "--op", "rms_norm", "--workload", "tiny", "--device", "host", "--iterations",
                  "100", "--blocks", "10", "--settle-ms", "0", "--l2", "warm", "--session", session});
  setrlimit(RLIMIT_FSIZE, &before);
  INFO(done.err);
  CHECK(done.exitCode == 7);
  CHECK_THAT(done.err, ContainsSubstring("CannotWrite: Cannot write the session"));
  CHECK_THAT(done.err, ContainsSubstring("Look whether the disk is full"));
  CHECK_THAT(done.err, ContainsSubstring("has the passes that could be written"));
  CHECK_THAT(done.out, ContainsSubstring("rms_norm"));
  const Session kept = readSession(session);
  REQUIRE(kept.runs.size() == 1);
  CHECK(kept.runs[0]->cancelled);
  CHECK_FALSE(kept.runs[0]->passes.empty());
  CHECK(kept.runs[0]->passes.size() < 10 * 2 * kept.runs[0]->implementations.size());
}

TEST_CASE("a diff of two sessions is a table, Markdown and JSON, and an exit code") {
  const TemporaryFolder folder;
  const std::string then = sessionOf(folder, "then.opscope", 10'000);
  const std::string slower = sessionOf(folder, "slower.opscope", 12'000, "norm", 2);
  const std::string other = sessionOf(folder, "other.opscope", 12'000, "another");
  const Finished plain = runOpscope({"diff", then, slower, "--json", (folder / "d.json").string(),
                                     "--markdown", (folder / "d.md").string()});
  INFO(plain.err);
  CHECK(plain.exitCode == 0);
  CHECK_THAT(plain.out, ContainsSubstring("Since " + then));
  CHECK_THAT(plain.out, ContainsSubstring("one-pass is slower than in the baseline"));
  CHECK_THAT(plain.out, ContainsSubstring("1 slower, 0 faster"));
  CHECK(Json::parse(readText(folder / "d.json")).at("rows").at(0).at("verdict") == "slower");
  CHECK_THAT(readText(folder / "d.md"), ContainsSubstring("| rms_norm | llama | bfloat16 | one-pass |"));
  CHECK(runOpscope({"diff", then, slower, "--fail-if-slower"}).exitCode == 9);
  CHECK(runOpscope({"diff", then, slower, "--fail-if-slower", "--threshold", "50%"}).exitCode == 0);
  CHECK(runOpscope({"diff", slower, then, "--fail-if-slower"}).exitCode == 0);
  CHECK_THAT(runOpscope({"diff", then, other}).out, ContainsSubstring("different kernels; slower"));
  CHECK(Json::parse(runOpscope({"diff", then, slower, "--json", "-"}).out).at("format") == "opscope-diff");

  // One run of a file.
  const std::string both = (folder / "both.opscope").string();
  REQUIRE(runOpscope({"merge", both, then, slower}).exitCode == 0);
  CHECK(runOpscope({"diff", both + "#1", both + "#2", "--fail-if-slower"}).exitCode == 9);
  CHECK(runOpscope({"diff", both + "#2", both + "#1", "--fail-if-slower"}).exitCode == 0);
  const Finished third = runOpscope({"diff", then, both + "#3"});
  CHECK(third.exitCode == 5);
  CHECK_THAT(third.err, ContainsSubstring("has no run 3: it has 2"));
  CHECK(runOpscope({"diff", then, both + "#x"}).exitCode == 5);
  CHECK(runOpscope({"diff", then, (folder / "none.opscope").string()}).exitCode == 7);

  // Nothing in common: both sides are listed, and nothing was compared.
  Run alone = runOfPasses({1'000, 1'000, 1'000, 1'000});
  alone.op = "alone";
  withShapes(alone);
  writeSession(folder / "alone.opscope", {std::make_shared<Run>(alone)});
  const Finished apart = runOpscope({"diff", then, (folder / "alone.opscope").string()});
  CHECK(apart.exitCode == 5);
  CHECK_THAT(apart.out, ContainsSubstring("Without a partner"));
  CHECK_THAT(apart.out, ContainsSubstring("alone llama bfloat16 by one-pass"));
  CHECK_THAT(apart.out, ContainsSubstring("rms_norm llama bfloat16 by one-pass"));
}

TEST_CASE("a history over sessions is ordered by time") {
  const TemporaryFolder folder;
  const std::string late = sessionOf(folder, "late.opscope", 12'000, "norm", 20'000);
  const std::string early = sessionOf(folder, "early.opscope", 10'000, "norm", 19'000);
  const Finished done = runOpscope({"history", late, early, "--csv", (folder / "h.csv").string()});
  INFO(done.err);
  CHECK(done.exitCode == 0);
  CHECK(done.out.find("early.opscope") < done.out.find("late.opscope"));
  CHECK_THAT(done.out, ContainsSubstring("reference"));
  CHECK_THAT(done.out, ContainsSubstring("slower"));
  const std::string csv = readText(folder / "h.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
  CHECK(runOpscope({"history", late, early, "--op", "rms_norm", "--impl", "one-pass"}).exitCode == 0);
  CHECK(runOpscope({"history", late, early, "--op", "gemm"}).exitCode == 5);
  CHECK(runOpscope({"history", late, (folder / "none.opscope").string()}).exitCode == 7);
}

TEST_CASE("vacuum says both sizes") {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.opscope").string();
  REQUIRE(runOpscope(measured(session)).exitCode == 0);
  const Finished done = runOpscope({"vacuum", session, "--drop-records"});
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.out, StartsWith(session + ": "));
  CHECK_THAT(done.out, ContainsSubstring(", now "));
  CHECK(keptOf(*readSession(session).runs.at(0)) == RecordsKept::Summary);
  CHECK(isOnePlainFile(session));
  CHECK(runOpscope({"vacuum", session, "--keep", "none", "--quiet"}).out.empty());
  CHECK(keptOf(*readSession(session).runs.at(0)) == RecordsKept::None);
  CHECK(runOpscope({"vacuum", session, "--keep", "none", "--drop-records"}).exitCode == 2);
  CHECK(runOpscope({"vacuum", (folder / "none.opscope").string()}).exitCode == 7);
}

TEST_CASE("the page of a session is one file") {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.opscope").string();
  REQUIRE(runOpscope(measured(session)).exitCode == 0);
  const Finished done = runOpscope({"export", session, "--html", (folder / "r.html").string()});
  CHECK(done.exitCode == 0);
  CHECK_THAT(readText(folder / "r.html"), StartsWith("<!DOCTYPE html>"));
  CHECK_THAT(readText(folder / "r.html"), ContainsSubstring("<svg"));
  CHECK_THAT(runOpscope({"export", session, "--html", "-", "--run", "1"}).out, StartsWith("<!DOCTYPE html>"));
}

TEST_CASE("several passes, exported and imported, have the same union, gaps and kernels each") {
  const TemporaryFolder folder;
  const std::string session = (folder / "m.opscope").string(), trace = (folder / "c.json").string(),
                    back = (folder / "b.opscope").string();
  REQUIRE(runOpscope(measured(session, {"--impl", "eager,one-pass", "--iterations", "4"})).exitCode == 0);
  REQUIRE(runOpscope({"export", session, "--chrome", trace}).exitCode == 0);
  REQUIRE(runOpscope({"import", trace, "--out", back}).exitCode == 0);
  const auto run = readSession(session).runs.at(0), again = readSession(back).runs.at(0);
  REQUIRE(run->passes.size() == 4);
  REQUIRE(again->passes.size() == 1);
  const Pass& imported = *again->passes[0];
  const Attribution theirs = groupByIteration(imported.trace);
  std::size_t at = 0;  // iterations follow each other, pass by pass
  std::size_t gap = 0;
  for (const auto& pass : run->passes) {
    INFO("pass " << pass->pass);
    const Attribution ours = groupByIteration(pass->trace);
    REQUIRE(imported.samples.size() >= at + pass->samples.size());
    for (std::size_t i = 0; i < pass->samples.size(); ++i) {
      const Sample &a = pass->samples[i], &b = imported.samples[at + i];
      CHECK(a.busy == b.busy);
      CHECK(a.latency == b.latency);
      CHECK(a.kernels == b.kernels);
      const auto k = ours.kernelsOf(i), m = theirs.kernelsOf(at + i);
      REQUIRE(k.size() == m.size());
      for (std::size_t n = 0; n < k.size(); ++n) {
        const KernelRecord &x = pass->trace.kernels[k[n]], &y = imported.trace.kernels[m[n]];
        CHECK(x.end - x.start == y.end - y.start);
        CHECK(pass->trace.names.text(x.nameId) == imported.trace.names.text(y.nameId));
        CHECK(x.streamId == y.streamId);
      }
    }
    for (const Gap& g : pass->gaps) {
      REQUIRE(gap < imported.gaps.size());
      CHECK(imported.gaps[gap].iteration == at + g.iteration);
      CHECK(imported.gaps[gap].length() == g.length());
      ++gap;
    }
    at += pass->samples.size();
  }
  CHECK(at == imported.samples.size());
  CHECK(gap == imported.gaps.size());
}
