// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "suite/request.h"
#include "suite/run_suite.h"
#include "suite/small_catalogue.h"

using namespace opscope;
using namespace opscope::test;

namespace {

using RunPointer = std::shared_ptr<const Run>;

const DeviceInfo kDevice{.id = "cuda:0", .kind = "cuda", .name = "A GPU", .method = "cupti"};

std::vector<PlannedJob> planned() {
  const CatalogueInfo catalogue = smallCatalogue();
  return planSuite(catalogue, "cuda", entriesOf(catalogue, {}), {}).jobs;  // norm twice, gemm
}

// As an engine answers: every implementation that was asked for has a number.
Run measuredRun(const Job& job) {
  Run run;
  run.op = job.op;
  run.workload = job.workload;
  run.dtype = job.dtype;
  run.deviceName = kDevice.name;
  run.method = kDevice.method;
  std::vector<std::string> names = job.implementations;
  if (names.empty())
    names =
        job.op == "gemm" ? std::vector<std::string>{"tiled"} : std::vector<std::string>{"one-pass", "eager"};
  for (const std::string& name : names) {
    ImplementationResult result{.name = name};
    result.busy = {3, 1000, 900, 1100, 800, 1200, 50};
    run.implementations.push_back(std::move(result));
  }
  return run;
}

class ScriptedHost final : public SuiteHost {
 public:
  using Answer = std::function<JobOutcome(const Job&)>;
  explicit ScriptedHost(Answer answer = {}) : answer_(std::move(answer)) {}

  JobOutcome measure(const Job& job, const Environment& notes) override {
    measured.push_back(job);
    noted.push_back(notes);
    if (answer_) return answer_(job);
    return {std::make_shared<const Run>(measuredRun(job)), std::nullopt};
  }
  void keep(const Run& run) override { kept.push_back(std::make_shared<const Run>(run)); }
  void drop(const Run& had) override { dropped.emplace_back(&had, kept.size()); }
  void renewEngine(const ErrorInfo& why) override {
    ++renewed;
    if (noOther) throw Error(why);
  }
  bool stopped() override { return measured.size() >= stopAfter; }
  void onRun(const Run&, bool before, std::size_t number, std::size_t all) override {
    told.push_back(std::to_string(number) + "/" + std::to_string(all) + (before ? " before" : ""));
  }

  std::vector<Job> measured;
  std::vector<Environment> noted;
  std::vector<RunPointer> kept;
  std::vector<std::pair<const Run*, std::size_t>> dropped;  // and how many had been kept by then
  std::vector<std::string> told;
  int renewed = 0;
  bool noOther = false;
  std::size_t stopAfter = 1000;

 private:
  Answer answer_;
};

JobOutcome failing(ErrorCode code, RunPointer partial = nullptr) {
  return {std::move(partial), ErrorInfo{code, "It did not work", {}, {}}};
}

}  // namespace

TEST_CASE("a suite measures everything once and keeps each run; the same again measures nothing") {
  ScriptedHost host;
  const SuiteResult first = runSuite({planned(), kDevice, {}, false, {}}, host);
  CHECK(host.measured.size() == 3);
  CHECK(host.kept.size() == 3);
  CHECK(host.told == std::vector<std::string>{"1/3", "2/3", "3/3"});
  CHECK(first.rows.size() == 5);
  CHECK(first.done == 3);
  CHECK(first.before == 0);
  CHECK(worstExitCode(first.rows) == 0);

  ScriptedHost again;
  const SuiteResult second = runSuite({planned(), kDevice, host.kept, false, {}}, again);
  CHECK(again.measured.empty());
  CHECK(second.before == 3);
  REQUIRE(second.rows.size() == 5);
  CHECK(second.rows[0].before);
  CHECK(again.told.front() == "1/3 before");
  CHECK(again.dropped.empty());
}

TEST_CASE("what asks for other numbers is measured, whatever the session has") {
  ScriptedHost host;
  runSuite({planned(), kDevice, {}, false, {}}, host);
  const auto measuredOf = [&](const std::function<void(PlannedJob&)>& change,
                              const DeviceInfo& device = kDevice) {
    std::vector<PlannedJob> jobs = planned();
    for (PlannedJob& job : jobs) change(job);
    ScriptedHost other;
    runSuite({jobs, device, host.kept, false, {}}, other);
    return other.measured.size();
  };
  CHECK(measuredOf([](PlannedJob&) {}) == 0);
  CHECK(measuredOf([](PlannedJob& p) { p.job.seed = 5; }) == 0);  // other inputs, the same numbers
  CHECK(measuredOf([](PlannedJob& p) { p.job.protocol.l2 = L2Mode::Zero; }) == 3);
  CHECK(measuredOf([](PlannedJob& p) { p.job.protocol.blocks = 4; }) == 3);
  CHECK(measuredOf([](PlannedJob& p) { p.job.protocol.iterations = 9; }) == 3);
  CHECK(measuredOf([](PlannedJob& p) { p.job.counters = true; }) == 3);
  CHECK(measuredOf([](PlannedJob& p) { p.dims["M"] = 1; }) == 3);
  CHECK(measuredOf([](PlannedJob& p) { p.implementations.push_back("new"); }) == 3);
  DeviceInfo another = kDevice;
  another.name = "Another GPU";
  CHECK(measuredOf([](PlannedJob&) {}, another) == 3);
}

TEST_CASE("a job that fails is a row with its reason, and the next one runs") {
  ScriptedHost host([](const Job& job) {
    if (job.op == "gemm") return failing(ErrorCode::NotSupported);
    if (job.dtype == "float32") return failing(ErrorCode::OutOfMemory);
    return JobOutcome{std::make_shared<const Run>(measuredRun(job)), std::nullopt};
  });
  const SuiteResult result = runSuite({planned(), kDevice, {}, false, {}}, host);
  CHECK(result.done == 3);
  REQUIRE(result.rows.size() == 5);
  CHECK(result.rows[0].measured());
  CHECK(result.rows[2].failure->code == ErrorCode::OutOfMemory);
  CHECK(result.rows[2].dims.at("M") == 2048);  // known although no engine said it
  CHECK(result.rows[3].failure->code == ErrorCode::OutOfMemory);
  CHECK(result.rows[4].notSupported());
  CHECK(worstExitCode(result.rows) == 3);

  // Known failures are not tried again, unless somebody asks; what is not supported never is.
  ScriptedHost again;
  CHECK(runSuite({planned(), kDevice, host.kept, false, {}}, again).before == 3);
  CHECK(again.measured.empty());
  ScriptedHost retried;
  const SuiteResult better = runSuite({planned(), kDevice, host.kept, true, {}}, retried);
  REQUIRE(retried.measured.size() == 1);
  CHECK(retried.measured[0].dtype == "float32");
  CHECK(worstExitCode(better.rows) == 0);
}

TEST_CASE("the worst failure decides the exit code, and what is not supported is none") {
  std::vector<SuiteRow> rows(1);
  const auto with = [&](ErrorCode code) {
    rows.push_back({});
    rows.back().failure = ErrorInfo{code, "", "", {}};
    return worstExitCode(rows);
  };
  CHECK(with(ErrorCode::NotSupported) == 0);
  CHECK(with(ErrorCode::BadInput) == 5);
  CHECK(with(ErrorCode::LibraryMissing) == 4);
  CHECK(with(ErrorCode::RecordsLost) == 3);
  CHECK(with(ErrorCode::WrongResult) == 6);
  CHECK(with(ErrorCode::EngineDied) == 8);
  CHECK(with(ErrorCode::Internal) == 1);
}

TEST_CASE("an engine that dies under several implementations costs the guilty one alone") {
  ScriptedHost host([](const Job& job) {
    const bool guilty =
        job.op == "norm" && (job.implementations.empty() || job.implementations[0] == "eager");
    if (!guilty) return JobOutcome{std::make_shared<const Run>(measuredRun(job)), std::nullopt};
    return failing(ErrorCode::EngineDied, std::make_shared<const Run>(measuredRun(job)));
  });
  const SuiteResult result = runSuite({planned(), kDevice, {}, false, {}}, host);
  CHECK(host.measured.size() == 7);  // each norm together and apart, and gemm
  CHECK(host.renewed == 4);
  REQUIRE(result.rows.size() == 5);
  CHECK(result.rows[0].implementation == "one-pass");
  CHECK(result.rows[0].measured());
  CHECK(result.rows[1].failure->code == ErrorCode::EngineDied);
  CHECK(result.done == 3);
  CHECK(worstExitCode(result.rows) == 8);
  ScriptedHost again;
  const SuiteResult resumed = runSuite({planned(), kDevice, host.kept, false, {}}, again);
  CHECK(again.measured.empty());
  CHECK(resumed.rows.size() == 5);
}

TEST_CASE("half a comparison is no number: a run that lost its engine has none") {
  ScriptedHost host([](const Job& job) {
    return failing(ErrorCode::DeviceLost, std::make_shared<const Run>(measuredRun(job)));
  });
  std::vector<PlannedJob> one{planned().back()};
  const SuiteResult result = runSuite({one, kDevice, {}, false, {}}, host);
  REQUIRE(result.rows.size() == 1);
  CHECK_FALSE(result.rows[0].measured());
  CHECK(result.rows[0].busy.n == 0);
  REQUIRE(host.kept.size() == 1);
  CHECK_FALSE(host.kept[0]->cancelled);
}

TEST_CASE(
    "without another engine the suite ends, and what was not the job's fault is not kept as its failure") {
  ScriptedHost host([](const Job&) { return failing(ErrorCode::EngineDied); });
  host.noOther = true;
  CHECK_THROWS_AS(runSuite({planned(), kDevice, {}, false, {}}, host), Error);
  CHECK(host.kept.empty());
}

TEST_CASE("a job that is stopped before its first pass leaves nothing") {
  ScriptedHost host([](const Job& job) {
    Run run = measuredRun(job);
    run.cancelled = true;
    return JobOutcome{std::make_shared<const Run>(std::move(run)), std::nullopt};
  });
  CHECK(runSuite({planned(), kDevice, {}, false, {}}, host).interrupted);
  CHECK(host.kept.empty());
}

TEST_CASE("what a lost device had measured is kept as a beginning, not as the job's failure") {
  ScriptedHost host([](const Job& job) {
    Run run = measuredRun(job);
    run.passes.push_back(std::make_shared<const Pass>());
    return failing(ErrorCode::DeviceUnavailable, std::make_shared<const Run>(std::move(run)));
  });
  const SuiteResult result = runSuite({planned(), kDevice, {}, false, {}}, host);
  CHECK(result.ended);
  CHECK(result.rows.empty());
  REQUIRE(host.kept.size() == 1);
  CHECK(host.kept[0]->cancelled);
  CHECK_FALSE(host.kept[0]->implementations[0].failure);
}

TEST_CASE("a device that cannot be had ends the suite, not one row after the other") {
  ScriptedHost host([](const Job& job) {
    if (job.dtype == "float32") return failing(ErrorCode::DeviceUnavailable);
    return JobOutcome{std::make_shared<const Run>(measuredRun(job)), std::nullopt};
  });
  const SuiteResult result = runSuite({planned(), kDevice, {}, false, {}}, host);
  REQUIRE(result.ended);
  CHECK(result.ended->code == ErrorCode::DeviceUnavailable);
  CHECK(result.done == 1);
  CHECK(host.kept.size() == 1);
}

TEST_CASE("an interruption keeps the passes of the job that ran, until the same again has measured it") {
  ScriptedHost host([](const Job& job) {
    Run run = measuredRun(job);
    run.cancelled = job.dtype == "float32";
    if (run.cancelled) run.passes.push_back(std::make_shared<const Pass>());
    return JobOutcome{std::make_shared<const Run>(std::move(run)), std::nullopt};
  });
  const SuiteResult result = runSuite({planned(), kDevice, {}, false, {}}, host);
  CHECK(result.interrupted);
  CHECK(result.done == 1);
  CHECK(result.rows.size() == 2);  // of the job that is over
  REQUIRE(host.kept.size() == 2);
  const RunPointer begun = host.kept[1];
  CHECK(begun->cancelled);
  // Whoever keeps passes as they end was told the same.
  CHECK(begun->environment.at(kSuiteRequest) == host.noted[1].at(kSuiteRequest));
  ScriptedHost again;
  const SuiteResult rest = runSuite({planned(), kDevice, host.kept, false, {}}, again);
  CHECK(again.measured.size() == 2);
  CHECK(rest.done == 3);
  CHECK(rest.before == 1);
  // Not before the whole one was kept.
  CHECK(again.dropped == std::vector<std::pair<const Run*, std::size_t>>{{begun.get(), 1}});

  // A program that died between the two leaves both.
  std::vector<RunPointer> both = host.kept;
  both.insert(both.end(), again.kept.begin(), again.kept.end());
  ScriptedHost third;
  CHECK(runSuite({planned(), kDevice, both, false, {}}, third).before == 3);
  CHECK(third.measured.empty());
  CHECK(third.dropped == std::vector<std::pair<const Run*, std::size_t>>{{begun.get(), 0}});

  // One that was asked for with other options is nobody's beginning here.
  std::vector<PlannedJob> others = planned();
  for (PlannedJob& job : others) job.job.protocol.blocks = 9;
  ScriptedHost other;
  runSuite({others, kDevice, host.kept, false, {}}, other);
  CHECK(other.measured.size() == 3);
  CHECK(other.dropped.empty());

  ScriptedHost stopped;
  stopped.stopAfter = 1;  // between two jobs
  CHECK(runSuite({planned(), kDevice, {}, false, {}}, stopped).interrupted);
  CHECK(stopped.measured.size() == 1);
}

TEST_CASE("the latest of several runs that answer counts; one that was cancelled answers nothing") {
  ScriptedHost host;
  runSuite({planned(), kDevice, {}, false, {}}, host);
  std::vector<RunPointer> had = host.kept;
  Run later = *had[0];
  later.implementations[0].busy.median = 77;
  had.push_back(std::make_shared<const Run>(later));
  later.cancelled = true;
  later.implementations[0].busy.median = 99;
  had.push_back(std::make_shared<const Run>(later));
  ScriptedHost again;
  CHECK(runSuite({planned(), kDevice, had, false, {}}, again).rows[0].busy.median == 77);
}
