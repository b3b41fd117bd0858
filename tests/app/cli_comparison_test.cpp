// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <filesystem>

#include "app/subprocess.h"
#include "session/synthetic.h"

using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Words = std::vector<std::string>;

Words shortly(const std::string& command, const Words& more) {
  Words words{command, "--device", "host", "--iterations", "4", "--warmup-ms",
              "0",     "--l2",     "warm", "--settle-ms",  "0"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A data folder of the test's own, which the programs inherit.
struct DataFolder {
  DataFolder() { setenv("OPSCOPE_DATA", folder.path().c_str(), 1); }
  ~DataFolder() { unsetenv("OPSCOPE_DATA"); }
  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("one block says why there is no verdict, four give one or a reason") {
  const DataFolder data;
  const Finished one = runOpscope(shortly("compare", {"--op", "rms_norm", "--workload", "tiny", "-q"}));
  CHECK(one.exitCode == 0);
  CHECK_THAT(one.out,
             ContainsSubstring("undecided (one-block)") &&
                 ContainsSubstring("one block cancels linear drift but gives no interval: --blocks 6."));
  const Finished four =
      runOpscope(shortly("compare", {"--op", "rms_norm", "--workload", "tiny", "--blocks", "4", "-q"}));
  CHECK(four.exitCode == 0);
  CHECK_THAT(four.out, ContainsSubstring("95 % interval") && ContainsSubstring("over 4 blocks") &&
                           ContainsSubstring("A fixed order A B") && ContainsSubstring("Drift: "));
}

TEST_CASE("the baseline can be chosen, before and after") {
  const DataFolder data;
  const std::string session = (data.folder / "s.opscope").string();
  const Finished run = runOpscope(shortly("compare", {"--op", "rms_norm", "--workload", "tiny", "-q",
                                                      "--baseline", "eager", "--session", session}));
  CHECK(run.exitCode == 0);
  CHECK_THAT(run.out, ContainsSubstring("No verdict on one-pass against eager"));
  const Finished again = runOpscope({"show", session, "--baseline", "one-pass"});
  CHECK_THAT(again.out, ContainsSubstring("No verdict on eager against one-pass"));
  CHECK(runOpscope({"show", session, "--baseline", "none"}).exitCode == 5);
  CHECK(runOpscope(shortly("compare", {"--op", "rms_norm", "--baseline", "none"})).exitCode == 5);
}

TEST_CASE("noise keeps a device's floor, which the next comparison uses") {
  const DataFolder data;
  const Finished noise =
      runOpscope(shortly("noise", {"--op", "add", "--workload", "tiny", "--blocks", "4", "-q"}));
  CHECK(noise.exitCode == 0);
  CHECK_THAT(noise.out, ContainsSubstring("Noise floor of ") && ContainsSubstring("add tiny") &&
                            ContainsSubstring("noise.json"));
  CHECK(std::filesystem::exists(data.folder / "noise.json"));
  const Finished run = runOpscope(shortly("compare", {"--op", "rms_norm", "--workload", "tiny", "-q"}));
  CHECK_THAT(run.out, ContainsSubstring("* Noise floor of this device"));
}

TEST_CASE("noise refuses a damaged file before it measures") {
  const DataFolder data;
  writeText(data.folder / "noise.json", "{");
  const Finished noise = runOpscope(shortly("noise", {"--op", "add", "--workload", "tiny"}));
  CHECK(noise.exitCode == 7);
  CHECK_THAT(noise.err, ContainsSubstring("noise.json"));
  CHECK(noise.out.empty());
  const Finished run = runOpscope(shortly("compare", {"--op", "rms_norm", "--workload", "tiny", "-q"}));
  CHECK(run.exitCode == 0);
  CHECK_THAT(run.out, ContainsSubstring("Warning: no noise floor is used"));
}

TEST_CASE("noise needs blocks enough for an interval, and an op that exists") {
  const DataFolder data;
  CHECK(runOpscope({"noise", "--blocks", "3"}).exitCode == 2);
  CHECK(runOpscope(shortly("noise", {"--op", "no_such_op"})).exitCode == 5);
  CHECK_FALSE(std::filesystem::exists(data.folder / "noise.json"));
}
