// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/subprocess.h"
#include "session/synthetic.h"

using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Words = std::vector<std::string>;

Words quickAdd(const Words& more = {}) {
  Words words{"run",  "--device",     "host", "--op",        "add", "--workload",
              "tiny", "--iterations", "4",    "--warmup-ms", "0",   "-q"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A data folder of the test's own, which the programs inherit.
struct CeilingsFolder {
  CeilingsFolder() { setenv("OPSCOPE_DATA", folder.path().c_str(), 1); }
  ~CeilingsFolder() { unsetenv("OPSCOPE_DATA"); }
  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("ceilings are measured and kept, and the next measurement has its share of them") {
#ifdef OPSCOPE_SANITIZED
  SKIP("the host's matrix product takes minutes under a sanitizer; tests/engine measures scripted ceilings");
#endif
  const CeilingsFolder data;
  CHECK_THAT(runOpscope(quickAdd()).out, !ContainsSubstring("efficiency"));
  const Finished ceilings =
      runOpscope({"ceilings", "--device", "host", "--measure-ms", "1", "--warmup-ms", "0", "-q"});
  CHECK(ceilings.exitCode == 0);
  CHECK_THAT(ceilings.out, ContainsSubstring("Ceilings of ") &&
                               ContainsSubstring("copy float32 n=16777216 by") &&
                               ContainsSubstring("triad float32 n=16777216 by") &&
                               ContainsSubstring("gemm bfloat16 ") && ContainsSubstring("gemm float32 ") &&
                               ContainsSubstring("SM clock not known") && ContainsSubstring("ceilings.json"));
  auto kept = nlohmann::json::parse(readText(data.folder / "ceilings.json"));
  CHECK(kept["format"] == "opscope-ceilings");
  CHECK(kept["devices"].size() == 1);
  // Which ceiling bounds add must not hang on how busy this machine is: 1 operation for 6 bytes, of 10 for
  // one.
  for (auto& device : kept["devices"])
    for (auto& point : device["points"]) {
      CHECK(point["per_second"].get<double>() > 0);
      point["per_second"] = point["kind"] == "memory" ? 1e10 : 1e11;
    }
  writeText(data.folder / "ceilings.json", kept.dump());
  const Finished table = runOpscope(quickAdd());
  CHECK(table.exitCode == 0);
  CHECK_THAT(table.out, ContainsSubstring("efficiency") && ContainsSubstring(" memory") &&
                            ContainsSubstring("* Efficiency is of what this device reached ("));
  const auto json = nlohmann::json::parse(runOpscope(quickAdd({"--json", "-"})).out);
  CHECK(json["runs"][0]["implementations"][0]["efficiency"]["bound"] == "memory");
  CHECK(json["runs"][0]["implementations"][0]["efficiency"]["share"].get<double>() > 0);

  auto changed = kept;
  for (auto& device : changed["devices"]) device["environment"]["cpu"] = "another one";
  writeText(data.folder / "ceilings.json", changed.dump());
  const Finished stale = runOpscope(quickAdd());
  CHECK(stale.exitCode == 0);
  CHECK_THAT(stale.out, ContainsSubstring("No efficiency: the ceilings of this device") &&
                            ContainsSubstring("cpu was another one, now "));
}

TEST_CASE("ceilings refuse a damaged file before they measure, and a measurement only says it") {
  const CeilingsFolder data;
  writeText(data.folder / "ceilings.json", "{");
  const Finished ceilings = runOpscope({"ceilings", "--device", "host"});
  CHECK(ceilings.exitCode == 7);
  CHECK_THAT(ceilings.err, ContainsSubstring("ceilings.json"));
  CHECK(ceilings.out.empty());
  const Finished table = runOpscope(quickAdd());
  CHECK(table.exitCode == 0);
  CHECK_THAT(table.out, ContainsSubstring("Warning: no ceilings are used"));
}

TEST_CASE("ceilings of a device that is not there are refused") {
  const CeilingsFolder data;
  CHECK(runOpscope({"ceilings", "--device", "cuda:77"}).exitCode == 4);
}
