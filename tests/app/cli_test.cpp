// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/subprocess.h"
#include "session/synthetic.h"

using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Words = std::vector<std::string>;

// A measurement on the host that takes a moment only.
Words quick(const std::string& command, const std::string& op, const Words& more = {}) {
  Words words{command, "--op", op, "--device", "host", "--measure-ms", "5", "--warmup-ms", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("help and version are no errors") {
  const Finished version = runOpscope({"--version"});
  CHECK(version.exitCode == 0);
  CHECK(version.out == std::string("opscope ") + OPSCOPE_PROGRAM_VERSION + "\n");
  for (const Words& words : {Words{"--help"}, Words{"run", "--help"}, Words{"compare", "--help"}}) {
    const Finished help = runOpscope(words);
    CHECK(help.exitCode == 0);
    CHECK_THAT(help.out, ContainsSubstring("Exit codes") && ContainsSubstring("failed closed"));
  }
}

TEST_CASE("a wrong command line is 2, with one sentence and where to look") {
  for (const Words& words :
       {Words{}, Words{"measure"}, Words{"run"}, Words{"run", "--op"},
        Words{"run", "--op", "add", "--frobnicate"}, Words{"run", "--op", "add", "--l2", "lukewarm"},
        Words{"run", "--op", "add", "--iterations", "0"}, Words{"run", "--op", "add", "--iterations", "many"},
        Words{"run", "--op", "add", "--dim", "M"}, Words{"run", "--op", "add", "--dim", "M=big"},
        Words{"run", "--op", "add", "--dim", "=3"}, Words{"run", "--op", "add", "--blocks", "-1"},
        Words{"run", "--op", "add", "--ops", "/no/such/folder"},
        Words{"run", "--op", "add", "--insist", "--no-verify"}, Words{"show"}}) {
    CAPTURE(words);
    const Finished done = runOpscope(words);
    CHECK(done.exitCode == 2);
    CHECK(done.out.empty());
    CHECK_THAT(done.err, ContainsSubstring("--help"));
  }
}

TEST_CASE("the catalogue is listed") {
  const Finished all = runOpscope({"list"});
  CHECK(all.exitCode == 0);
  CHECK_THAT(all.out, ContainsSubstring("rms_norm") && ContainsSubstring("llama-8b-prefill") &&
                          ContainsSubstring("one-pass") && ContainsSubstring("host"));
  CHECK_THAT(all.out, ContainsSubstring("cublaslt"));
  const Finished host = runOpscope({"list", "--device", "host"});
  CHECK(host.exitCode == 0);
  CHECK_THAT(host.out, !ContainsSubstring("cublaslt"));
  CHECK(runOpscope({"list", "--device", "abacus"}).exitCode == 4);
}

TEST_CASE("an op file that cannot be read is named, with its line") {
  const TemporaryFolder folder;
  writeText(folder / "bad.yaml", "good:\n  family: [unclosed\n");
  const Finished done = runOpscope({"list", "--ops", folder.path().string()});
  CHECK(done.exitCode == 5);
  CHECK_THAT(done.err, ContainsSubstring("bad.yaml:"));
  CHECK_THAT(done.out, ContainsSubstring("rms_norm"));
}

TEST_CASE("the doctor finds the host") {
  const Finished done = runOpscope({"doctor"});
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.out, ContainsSubstring("[ok]") && ContainsSubstring("host"));
}

TEST_CASE("a comparison measures every implementation for real") {
  const Finished done = runOpscope(quick("compare", "rms_norm", {"--workload", "tiny", "--seed", "7"}));
  INFO(done.err);
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.out, ContainsSubstring("host CPU figures") && ContainsSubstring("seed 7"));
  CHECK_THAT(done.out,
             ContainsSubstring("one-pass") && ContainsSubstring("eager") && ContainsSubstring("verified"));
  CHECK_THAT(done.out, ContainsSubstring("passes A B B A"));
  CHECK_THAT(done.err, !ContainsSubstring("\x1b"));  // no progress without a terminal
}

TEST_CASE("run gives every implementation a run of its own") {
  const Finished done = runOpscope(
      quick("run", "rms_norm", {"--workload", "tiny", "--impl", "one-pass,eager", "--dtype", "fp32"}));
  INFO(done.err);
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.out, !ContainsSubstring("passes A B"));
  std::size_t runs = 0;
  for (std::size_t at = 0; (at = done.out.find("host CPU figures", at)) != std::string::npos; ++at) ++runs;
  CHECK(runs == 2);
}

TEST_CASE("dimensions replace the workload's") {
  const Finished done = runOpscope(quick(
      "run", "rms_norm", {"--workload", "tiny", "--impl", "one-pass", "--dim", "M=3", "--dim", "N=65"}));
  INFO(done.err);
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.out, ContainsSubstring("M=3 N=65"));
}

TEST_CASE("what the user names must exist") {
  const auto expect = [](const Words& words, int code, const std::string& part) {
    CAPTURE(words);
    const Finished done = runOpscope(words);
    INFO(done.err);
    CHECK(done.exitCode == code);
    CHECK(done.out.empty());
    CHECK_THAT(done.err, ContainsSubstring(part));
  };
  expect(quick("run", "rms_nrom"), 5, "rms_norm");
  expect(quick("compare", "rms_norm", {"--workload", "lama"}), 5, "lama");
  expect(quick("compare", "rms_norm", {"--dtype", "fp7"}), 5, "fp7");
  expect(quick("compare", "rms_norm", {"--impl", "two-pass"}), 5, "two-pass");
  expect(quick("compare", "rms_norm", {"--workload", "tiny", "--dim", "Q=3"}), 5, "Q");
  expect(quick("compare", "rms_norm", {"--workload", "tiny", "--dim", "M=0"}), 5, "M");
  expect(quick("compare", "rms_norm", {"--workload", "tiny", "--dim", "M=-4"}), 5, "M");
  expect({"run", "--op", "rms_norm", "--device", "abacus:3"}, 4, "abacus:3");
}

TEST_CASE("a measurement that fails closed is 3, and has no number") {
  const auto failsAs = [](const Words& words, const std::string& name) {
    CAPTURE(words);
    const Finished done = runOpscope(words);
    INFO(done.out << done.err);
    CHECK(done.exitCode == 3);
    CHECK_THAT(done.out, ContainsSubstring(name));
    CHECK_THAT(done.out, !ContainsSubstring("verified"));
  };
  failsAs(quick("run", "trap_off_thread"), "OffThreadLaunch");
  failsAs(quick("run", "trap_no_kernel"), "NoKernel");
  failsAs(quick("run", "trap_copy_only"), "NoKernel");
  // 8 bytes hold no record, nor do 4 x and 16 x as much.
  failsAs(quick("run", "rms_norm", {"--workload", "tiny", "--impl", "eager", "--buffer-kb", "0.0078125"}),
          "RecordsLost");
}

TEST_CASE("a wrong result is 6 and no number, unless one insists") {
  const Finished refused = runOpscope(quick("run", "trap_wrong_result"));
  CHECK(refused.exitCode == 6);
  CHECK_THAT(refused.out, ContainsSubstring("WrongResult") && !ContainsSubstring("WRONG RESULT:"));
  const Finished insisted = runOpscope(quick("run", "trap_wrong_result", {"--insist"}));
  CHECK(insisted.exitCode == 0);
  CHECK_THAT(insisted.out, ContainsSubstring("WRONG RESULT:"));
  const Finished unchecked = runOpscope(quick("run", "trap_wrong_result", {"--no-verify"}));
  CHECK(unchecked.exitCode == 0);
  CHECK_THAT(unchecked.out, ContainsSubstring("not checked"));
}
