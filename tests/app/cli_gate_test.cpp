// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <functional>

#include "app/subprocess.h"
#include "session/store.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Words = std::vector<std::string>;

Words compareWith(const Words& more) {
  Words words{"compare", "--device", "host",     "--op",         "rms_norm", "--workload",
              "tiny",    "--impl",   "one-pass", "--iterations", "4",        "--warmup-ms",
              "0",       "--l2",     "warm",     "--settle-ms",  "0",        "-q"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A measured session, and copies of it in which every time of pass p is multiplied by factor(p). The factors
// of these tests are so large that no noise of a machine comes near them.
class Baselines {
 public:
  Baselines() {
    setenv("OPSCOPE_DATA", folder_.path().c_str(), 1);
    const Finished measured = runOpscope(compareWith({"--blocks", "4", "--session", file("measured")}));
    REQUIRE(measured.exitCode == 0);
  }
  ~Baselines() { unsetenv("OPSCOPE_DATA"); }
  Baselines(const Baselines&) = delete;
  Baselines& operator=(const Baselines&) = delete;

  std::string file(const std::string& name) const { return (folder_ / (name + ".opscope")).string(); }

  std::string scaled(const std::function<double(std::uint32_t)>& factor,
                     const std::function<void(Run&)>& change = {}) const {
    Run run = *readSession(file("measured")).runs.at(0);
    for (auto& pass : run.passes) {
      auto copy = std::make_shared<Pass>(*pass);
      for (Sample& sample : copy->samples) {
        sample.busy = static_cast<Ns>(static_cast<double>(sample.busy) * factor(pass->pass));
        sample.latency = sample.busy;
      }
      pass = copy;
    }
    summariseRun(run);
    if (change) change(run);
    writeSession(file("baseline"), {std::make_shared<const Run>(std::move(run))});
    return file("baseline");
  }

 private:
  TemporaryFolder folder_;
};

constexpr double kFar = 1e4;

double unchanged(std::uint32_t) {
  return 1;
}

}  // namespace

TEST_CASE("slower than an earlier session ends with 9, and only where that was asked for") {
  const Baselines baselines;
  const std::string quick = baselines.scaled([](std::uint32_t) { return 1 / kFar; });
  const Words words = compareWith({"--blocks", "4", "--baseline", quick});
  Words failing = words;
  failing.emplace_back("--fail-if-slower");
  const Finished slower = runOpscope(failing);
  CHECK(slower.exitCode == 9);
  CHECK_THAT(slower.out, ContainsSubstring("Against " + quick) &&
                             ContainsSubstring("one-pass is slower than in the baseline: ") &&
                             ContainsSubstring("Gate: 1 of 1 is slower."));
  CHECK(runOpscope(words).exitCode == 0);
}

TEST_CASE("faster than, and within the threshold of, an earlier session ends with 0") {
  const Baselines baselines;
  const std::string slow = baselines.scaled([](std::uint32_t) { return kFar; });
  const Finished faster = runOpscope(compareWith({"--blocks", "4", "--baseline", slow, "--fail-if-slower"}));
  CHECK(faster.exitCode == 0);
  CHECK_THAT(faster.out, ContainsSubstring("one-pass is faster than in the baseline: "));
  const Finished same = runOpscope(compareWith(
      {"--blocks", "4", "--baseline", baselines.file("measured"), "--fail-if-slower", "1000000%"}));
  CHECK(same.exitCode == 0);
  CHECK_THAT(same.out, ContainsSubstring("one-pass is as fast as in the baseline: ") &&
                           ContainsSubstring("(as asked)"));
}

TEST_CASE("an undecided row never fails") {
  const Baselines baselines;
  const std::string wide =
      baselines.scaled([](std::uint32_t pass) { return pass % 2 == 0 ? kFar : 1 / kFar; });
  const Finished undecided =
      runOpscope(compareWith({"--blocks", "4", "--baseline", wide, "--fail-if-slower"}));
  CHECK(undecided.exitCode == 0);
  CHECK_THAT(undecided.out, ContainsSubstring("Undecided between one-pass and the baseline") &&
                                ContainsSubstring("Gate: none of 1 is slower, 1 undecided."));
  const Finished few = runOpscope(compareWith({"--blocks", "1", "--baseline", wide, "--fail-if-slower"}));
  CHECK(few.exitCode == 0);
  CHECK_THAT(few.out, ContainsSubstring("fewer than 4 passes"));
}

TEST_CASE("a baseline that does not fit is refused with 5") {
  const Baselines baselines;
  const auto refused = [&](const std::string& baseline, const std::string& why) {
    const Finished run =
        runOpscope(compareWith({"--blocks", "4", "--baseline", baseline, "--fail-if-slower"}));
    INFO(why);
    CHECK(run.exitCode == 5);
    CHECK_THAT(run.out + run.err, ContainsSubstring(why));
  };
  refused(baselines.scaled(unchanged, [](Run& run) { run.implementations[0].name = "eager"; }),
          "The baseline has no number of rms_norm tiny");
  refused(baselines.scaled(unchanged, [](Run& run) { run.deviceName = "another machine"; }),
          "it was measured on another device, another machine");
  refused(baselines.scaled(unchanged, [](Run& run) { run.l2 = "clean"; }),
          "L2 was clean before each call, now warm");
  refused(baselines.scaled(unchanged, [](Run& run) { run.environment["locked clocks"] = "1500 MHz"; }),
          "at other clocks");
  const Finished otherOp = runOpscope(compareWith(
      {"--baseline", baselines.scaled(unchanged, [](Run& run) { run.op = "add"; }), "--fail-if-slower"}));
  CHECK(otherOp.exitCode == 5);
  CHECK(otherOp.out.empty());  // before anything was measured
  CHECK(runOpscope(compareWith({"--baseline", baselines.file("none"), "--fail-if-slower"})).exitCode == 7);
}

TEST_CASE("a gate within a run takes enough blocks for a verdict, and needs two implementations") {
  const TemporaryFolder folder;
  setenv("OPSCOPE_DATA", folder.path().c_str(), 1);
  const Finished two = runOpscope(compareWith({"--impl", "eager", "--fail-if-slower", "1000000"}));
  CHECK(two.exitCode == 0);
  CHECK_THAT(two.out, ContainsSubstring("6 blocks") && ContainsSubstring("over 6 blocks, all of it within") &&
                          ContainsSubstring("Gate: none of 1 is slower."));
  const Finished one = runOpscope(compareWith({"--fail-if-slower"}));
  CHECK(one.exitCode == 5);
  CHECK_THAT(one.out, ContainsSubstring("there is nothing it could be slower than"));
  unsetenv("OPSCOPE_DATA");
}

TEST_CASE("a threshold is a share") {
  CHECK(runOpscope(compareWith({"--fail-if-slower", "much"})).exitCode == 2);
  CHECK(runOpscope(compareWith({"--fail-if-slower", "-5"})).exitCode == 2);
}

TEST_CASE("a Markdown table for a pull request has the gate's verdict") {
  const Baselines baselines;
  const Finished run =
      runOpscope(compareWith({"--blocks", "4", "--baseline", baselines.file("measured"), "--markdown", "-"}));
  CHECK(run.exitCode == 0);
  CHECK_THAT(run.out, ContainsSubstring("| implementation |") && ContainsSubstring("\nGate: ") &&
                          ContainsSubstring("against each pass then"));
}

TEST_CASE("an export on standard output has the gate's words beside it, not in it") {
  const Baselines baselines;
  const Finished run = runOpscope(compareWith(
      {"--blocks", "4", "--baseline", baselines.file("measured"), "--fail-if-slower", "--json", "-"}));
  CHECK_THAT(run.err, ContainsSubstring("Gate: "));
  CHECK(run.out.find("Gate: ") == std::string::npos);
}
