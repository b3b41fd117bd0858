// SPDX-License-Identifier: Apache-2.0
//
// The traps whose gaps are known, through the whole engine on the host device, with controls and methods.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "base/error.h"
#include "engine/engine.h"
#include "session/synthetic.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;

namespace {

Job trapJob(const std::string& op) {
  Job job;
  job.device = "host";
  job.op = op;
  job.protocol.iterations = 20;
  job.protocol.warmupBudget = kMillisecond;
  job.protocol.l2 = L2Mode::Warm;
  job.seed = 11;
  return job;
}

// Traps whose waits dwarf what a busy machine does to a thread that it wakes.
class SlowTraps {
 public:
  SlowTraps() {
    std::ifstream in(resourceFolder() / "ops" / "traps.yaml");
    std::string text(std::istreambuf_iterator<char>(in), {});
    replace(text, "\ntrap_", "\nslow_trap_");
    replace(text, "sleep_us: {default: 100}", "sleep_us: {default: 20000}");
    replace(text, "spin_us: {default: 200}", "spin_us: {default: 20000}");
    std::ofstream(folder_.path() / "slow.yaml") << text;
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  static void replace(std::string& text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  test::TemporaryFolder folder_;
};

std::shared_ptr<const Run> measured(Job job) {
  const SlowTraps traps;
  const auto engine = makeLocalEngine({.opFolders = {traps.folder()}});
  job.op = "slow_" + job.op;
  auto run = runJob(*engine, job);
  INFO((run->implementations[0].failure ? describe(*run->implementations[0].failure)
                                        : std::string("measured")));
  REQUIRE(run->implementations[0].hasNumber());
  return run;
}

// What most gaps are labelled: one that the system preempted may be anything.
GapCause causeOf(const std::string& op) {
  const auto run = measured(trapJob(op));
  const GapTotals& gaps = run->implementations[0].gaps;
  const auto most = std::max_element(gaps.begin(), gaps.end(),
                                     [](const GapTotal& a, const GapTotal& b) { return a.count < b.count; });
  CHECK(most->count >= 10);
  return static_cast<GapCause>(most - gaps.begin());
}

}  // namespace

TEST_CASE("every gap whose cause is known gets its label on the host device") {
  CHECK(causeOf("trap_host_sleep") == GapCause::HostLate);
  CHECK(causeOf("trap_dependency") == GapCause::Queued);
  CHECK(causeOf("trap_synchronise") == GapCause::HostLate);
  CHECK(causeOf("trap_copy_between") == GapCause::Copy);
}

TEST_CASE("a sleeping host is taken out of the gap by queuing ahead") {
  Job job = trapJob("trap_host_sleep");
  job.controls.prequeued = true;
  const auto run = measured(job);
  const ImplementationResult& result = run->implementations[0];
  REQUIRE(result.prequeued);
  REQUIRE_FALSE(result.prequeued->failure);
  REQUIRE(run->controls.size() == 1);
  CHECK(run->controls[0]->control == "prequeued");
  CHECK(run->controls[0]->implementation == 0);
  const PrequeuedComparison& comparison = result.prequeued->comparison;
  INFO(comparison.whyNoGaps);
  REQUIRE(comparison.gaps.size() == 1);
  CHECK(comparison.gaps[0].label == GapCause::HostLate);
  CHECK(comparison.gaps[0].result == ExperimentResult::Confirmed);
  CHECK(comparison.gaps[0].normal > 10 * kMillisecond);
  CHECK(comparison.gaps[0].hostCost() > 10 * kMillisecond);
  CHECK(comparison.hostHeld == 0);
  // Kept apart: the number and the passes are what they are without a control.
  CHECK(run->passes.size() == 1);
  CHECK(result.busy.n == 20);
}

TEST_CASE("a call that waits inside itself keeps its number and says why it cannot be queued ahead") {
  Job job = trapJob("trap_synchronise");
  job.controls.prequeued = true;
  const auto run = measured(job);
  const ImplementationResult& result = run->implementations[0];
  REQUIRE(result.prequeued);
  REQUIRE(result.prequeued->failure);
  CHECK(result.prequeued->failure->code == ErrorCode::NotSupported);
  CHECK_THAT(result.prequeued->failure->message, ContainsSubstring("waits for the device inside itself"));
  CHECK(result.prequeued->control == -1);
  CHECK(run->controls.empty());
}

TEST_CASE("controls run by themselves for calls of more than one kernel") {
  Job job = trapJob("trap_dependency");
  job.controls.automatic = true;
  const auto many = measured(job);
  CHECK(many->implementations[0].prequeued);
  REQUIRE(many->implementations[0].tracingCost);
  CHECK_FALSE(many->implementations[0].tracingCost->failure);
  CHECK(many->implementations[0].tracingCost->on.n > 0);
  job.op = "trap_wrong_result";
  job.implementations = {"right"};
  const auto one = measured(job);
  CHECK_FALSE(one->implementations[0].prequeued);
  CHECK_FALSE(one->implementations[0].tracingCost);
}

TEST_CASE("the methods stand beside the records") {
  Job job = trapJob("trap_dependency");
  job.methods = true;
  const auto run = measured(job);
  const auto& methods = run->implementations[0].methods;
  std::vector<std::string> names;
  for (const MethodReading& reading : methods) names.push_back(reading.method);
  CHECK(names == std::vector<std::string>{"records: busy", "records: latency", "clock pair", "clock loop",
                                          "graph replay", "host wall clock"});
  CHECK(methods[0].perCall.median == run->implementations[0].busy.median);
  for (const std::size_t m : {2U, 3U, 5U}) CHECK(methods[m].perCall.median > 15 * kMillisecond);
  REQUIRE(methods[4].failure);
  CHECK_THAT(methods[4].failure->message, ContainsSubstring("no graphs"));
}

TEST_CASE("a rotating call is measured, labelled and verified") {
  Job job = trapJob("trap_copy_between");
  job.protocol.l2 = L2Mode::Rotate;
  job.controls.prequeued = true;
  const auto run = measured(job);
  CHECK_THAT(run->l2, ContainsSubstring("rotate (") && ContainsSubstring("copies"));
  CHECK(run->passes[0]->l2 == run->l2);
  CHECK(run->implementations[0].verification.state == VerificationRecord::State::Passed);
  REQUIRE(run->controls.size() == 1);
  CHECK(run->controls[0]->l2 == run->l2);
}
