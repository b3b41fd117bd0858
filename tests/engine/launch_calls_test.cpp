// SPDX-License-Identifier: Apache-2.0
#include "engine/launch_calls.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "base/error.h"

using namespace opscope;

namespace {

/// launchCalls() tells its process that it is a profiler's; the other tests are not.
struct OwnProcess {
  ~OwnProcess() { ::unsetenv("OPSCOPE_CUPTI"); }
};

Job tinyCall() {
  Job job;
  job.device = "host";
  job.op = "rms_norm";
  job.workload = "tiny";
  return job;
}

}  // namespace

TEST_CASE("a call is launched as it would be measured, and nothing is recorded") {
  const OwnProcess own;
  Job job = tinyCall();
  for (const CatalogueInfo::Op& op : makeLocalEngine()->catalogue().ops) {
    if (op.name != job.op) continue;
    for (const auto& implementation : op.implementations)
      for (const std::string& kind : implementation.deviceKinds)
        if (kind == "host" && job.implementations.empty()) job.implementations = {implementation.name};
  }
  REQUIRE(job.implementations.size() == 1);
  job.seed = 42;
  const LaunchedCalls launched = launchCalls(job, 2, 3, {});
  CHECK(launched.op == "rms_norm");
  CHECK(launched.workload == "tiny");
  CHECK_FALSE(launched.dtype.empty());
  CHECK(launched.implementation == job.implementations[0]);
  CHECK(launched.device.starts_with("host ("));
  CHECK(launched.seed == 42);
  CHECK_FALSE(launched.marked);  // no profiler looks at the host device
  CHECK(std::getenv("OPSCOPE_CUPTI") != nullptr);
}

TEST_CASE("one implementation is launched, no more and no less") {
  const OwnProcess own;
  Job job = tinyCall();
  CHECK_THROWS_AS(launchCalls(job, 0, 1, {}), BadInput);
  job.implementations = {"a", "b"};
  CHECK_THROWS_AS(launchCalls(job, 0, 1, {}), BadInput);
  job.implementations = {"no such implementation"};
  CHECK_THROWS_AS(launchCalls(job, 0, 1, {}), UnknownName);
}
