// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/subprocess.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kSteps = OPSCOPE_SOURCE_DIR "/tests/data/traces/kineto-steps.json";
const std::string kOld = OPSCOPE_SOURCE_DIR "/tests/data/traces/kineto-old.json";

}  // namespace

TEST_CASE("gaps of a trace are printed, and written as JSON") {
  const Finished table = runOpscope({"gaps", kSteps});
  INFO(table.err);
  REQUIRE(table.exitCode == 0);
  CHECK_THAT(table.out, ContainsSubstring("not measured by Opscope"));
  CHECK_THAT(table.out, ContainsSubstring("host-late"));

  const Finished json = runOpscope({"gaps", kSteps, "--json"});
  REQUIRE(json.exitCode == 0);
  CHECK(Json::parse(json.out)["union_ns"] == 52'501);
  CHECK(json.err.empty());

  const TemporaryFolder folder;
  const std::string file = (folder / "gaps.json").string();
  const Finished both = runOpscope({"gaps", kSteps, "--json", file, "--longest", "0", "--stream", "7"});
  REQUIRE(both.exitCode == 0);
  CHECK_THAT(both.err, ContainsSubstring("wrote " + file));
  CHECK(Json::parse(readText(file))["gap_ns"] == 86'749);
  CHECK(Json::parse(readText(file))["longest"].empty());
}

TEST_CASE("gaps looks at a range, from the trace's first kernel") {
  // 10.5 us: from 24.501 to 51.625 us after it.
  const Finished ranged = runOpscope({"gaps", kSteps, "--range", "24.501us:51625ns", "--json"});
  INFO(ranged.err);
  REQUIRE(ranged.exitCode == 0);
  CHECK(Json::parse(ranged.out)["union_ns"] == 7'000);
  CHECK(runOpscope({"gaps", kSteps, "--range", "5:1"}).exitCode == 2);
  CHECK(runOpscope({"gaps", kSteps, "--range", "x"}).exitCode == 2);
  CHECK(runOpscope({"gaps", kSteps, "--device", "9"}).exitCode == 5);
}

TEST_CASE("a trace that cannot be read costs a sentence, its place and the right exit code") {
  const TemporaryFolder folder;
  writeText(folder / "cut.json", readText(kSteps).substr(0, 1000));
  const Finished cut = runOpscope({"gaps", (folder / "cut.json").string()});
  CHECK(cut.exitCode == 5);
  CHECK_THAT(cut.err, ContainsSubstring("cut.json") && ContainsSubstring("truncated") &&
                          ContainsSubstring("byte 1000"));
  CHECK(runOpscope({"gaps", (folder / "none.json").string()}).exitCode == 7);
  writeText(folder / "empty.json", "{\"traceEvents\": []}");
  const Finished empty = runOpscope({"gaps", (folder / "empty.json").string()});
  CHECK(empty.exitCode == 3);
  CHECK_THAT(empty.err, ContainsSubstring("There is no kernel"));
  const std::string session = (folder / "s.opscope").string();
  CHECK(runOpscope({"import", (folder / "cut.json").string(), "--out", session}).exitCode == 5);
  CHECK_FALSE(fs::exists(session));
}

TEST_CASE("imported traces are a session that shows where they are from") {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.opscope").string();
  const Finished done = runOpscope({"import", kSteps, kOld, "--out", session});
  INFO(done.err);
  REQUIRE(done.exitCode == 0);
  CHECK_THAT(done.err, ContainsSubstring("wrote " + session));
  const Finished shown = runOpscope({"show", session});
  CHECK(shown.out == done.out);
  CHECK_THAT(shown.out, ContainsSubstring(
                            "imported from a trace of PyTorch profiler (Kineto), not measured by Opscope"));
  REQUIRE(readSession(session).runs.size() == 2);
  CHECK(readSession(session).runs[1]->workload == "kineto-old.json");
}

TEST_CASE("a session is written in every format by one command") {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.opscope").string();
  REQUIRE(runOpscope({"import", kSteps, kOld, "--out", session, "--quiet"}).exitCode == 0);
  const auto at = [&](const char* name) { return (folder / name).string(); };
  const Finished done = runOpscope({"export", session, "--chrome", at("c.json"), "--csv", at("set"), "--json",
                                    at("r.json"), "--markdown", at("r.md")});
  INFO(done.err);
  REQUIRE(done.exitCode == 0);
  CHECK(done.out.empty());
  CHECK(Json::parse(readText(folder / "r.json"))["runs"].size() == 2);
  CHECK(fs::exists(folder / "set" / "gaps.csv"));
  CHECK_THAT(readText(folder / "r.md"), ContainsSubstring("imported trace"));
  CHECK(Json::parse(readText(folder / "c.json"))["opscope"]["workload"] == "kineto-old.json");  // the last
  const Finished first = runOpscope({"export", session, "--run", "1", "--chrome", "-"});
  CHECK(Json::parse(first.out)["opscope"]["workload"] == "kineto-steps.json");
  CHECK(runOpscope({"export", session, "--run", "3", "--chrome", "-"}).exitCode == 5);
  CHECK(runOpscope({"export", session}).exitCode == 2);
}

TEST_CASE("what was measured, exported and imported has the same union, gaps and kernels") {
  const TemporaryFolder folder;
  const std::string session = (folder / "m.opscope").string(), trace = (folder / "c.json").string(),
                    back = (folder / "b.opscope").string();
  REQUIRE(runOpscope({"run", "--op", "rms_norm", "--workload", "tiny", "--impl", "eager", "--device", "host",
                      "--measure-ms", "5", "--warmup-ms", "1", "--session", session})
              .exitCode == 0);
  REQUIRE(runOpscope({"export", session, "--chrome", trace}).exitCode == 0);
  const Finished done = runOpscope({"import", trace, "--out", back});
  INFO(done.err);
  REQUIRE(done.exitCode == 0);
  const auto measured = readSession(session).runs.at(0), imported = readSession(back).runs.at(0);
  REQUIRE(measured->passes.size() == 1);
  const Pass &a = *measured->passes[0], &b = *imported->passes.at(0);
  CHECK(a.trace.kernels.size() == b.trace.kernels.size());
  REQUIRE(a.samples.size() == b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    CHECK(a.samples[i].busy == b.samples[i].busy);
    CHECK(a.samples[i].latency == b.samples[i].latency);
    CHECK(a.samples[i].kernels == b.samples[i].kernels);
  }
  REQUIRE(a.gaps.size() == b.gaps.size());
  for (std::size_t g = 0; g < a.gaps.size(); ++g) {
    CHECK(a.gaps[g].length() == b.gaps[g].length());
    CHECK(a.gaps[g].iteration == b.gaps[g].iteration);
    CHECK(a.gaps[g].entered - a.gaps[g].start == b.gaps[g].entered - b.gaps[g].start);
  }
  CHECK(imported->figures == "imported");
}

TEST_CASE("another program's JSON parser reads the exported trace") {
  const TemporaryFolder folder;
  if (std::system("python3 -c 'import json' 2>/dev/null") != 0) SKIP("there is no python3 here");
  const std::string session = (folder / "s.opscope").string(), trace = (folder / "c.json").string();
  REQUIRE(runOpscope({"import", kSteps, "--out", session, "--quiet"}).exitCode == 0);
  REQUIRE(runOpscope({"export", session, "--chrome", trace}).exitCode == 0);
  writeText(folder / "read.py", R"(import decimal, json, sys
events = json.load(open(sys.argv[1]), parse_float=decimal.Decimal)["traceEvents"]
assert {e["ph"] for e in events} <= set("XMsf")
assert all(e["dur"] >= 0 for e in events if e["ph"] == "X")
def ns(category):
    return sum(int(e["dur"] * 1000) for e in events if e.get("cat") == category)
# The busy lane is the union within iterations, the gap lane what is between its kernels.
assert ns("kernel") == 67251, ns("kernel")
assert ns("opscope_busy") == 34501 + 16000, ns("opscope_busy")
assert ns("opscope_gap") == 20124 + 14500 + 1500, ns("opscope_gap")
named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
assert {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"} <= named
# Nothing overlaps within a thread but launch calls: viewers lose what does.
lanes = {}
for e in events:
    if e["ph"] == "X" and e.get("cat") not in ("cuda_runtime",):
        lanes.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
for spans in lanes.values():
    spans.sort()
    assert all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), spans
)");
  CHECK(std::system(("python3 " + (folder / "read.py").string() + " " + trace).c_str()) == 0);
}
