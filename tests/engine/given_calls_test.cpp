// SPDX-License-Identifier: Apache-2.0
//
// Calls that no catalogue describes, on the host device.
#include <pthread.h>
#include <sched.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <future>
#include <thread>

#include "device/host/host_device.h"
#include "device/host/launches.h"
#include "engine/environment.h"
#include "engine/given_calls.h"
#include "timing/launch_thread.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;

namespace {

class FunctionCall final : public Call {
 public:
  explicit FunctionCall(std::function<void()> function) : function_(std::move(function)) {}
  void issue() override { function_(); }

 private:
  std::function<void()> function_;
};

GivenCall given(const std::string& name, const std::function<void()>& function) {
  return {
      .name = name, .doc = {}, .prepare = [function] { return std::make_unique<FunctionCall>(function); }};
}

Job quickJob() {
  Job job;
  job.device = "host";
  job.protocol.l2 = L2Mode::Warm;
  job.protocol.iterations = 10;
  job.protocol.warmupBudget = 0;
  return job;
}

struct HostBench {
  std::unique_ptr<Device> device = [] {
    auto opened = host::openHostDevice();
    opened->proveDropCounter();
    return opened;
  }();
  std::vector<std::string> told;

  std::function<void()> spin(const std::string& name) {
    return [this, name] { host::launch(*device, name, [] {}); };
  }
  std::shared_ptr<const Run> measure(GivenOp op, const Job& job, int launchCore = kCallersThread) {
    const EngineHandler handler = [this](const EngineEvent& event) {
      if (std::holds_alternative<JobStarted>(event)) told.emplace_back("started");
      if (std::holds_alternative<JobPrepared>(event)) told.emplace_back("prepared");
      if (std::holds_alternative<PassFinished>(event)) told.emplace_back("pass");
    };
    GivenMeasurement measurement(*device, std::move(op), job, launchCore, handler, {});
    measurement.measure();
    return measurement.run();
  }
};

GivenOp opOf(std::vector<GivenCall> calls) {
  GivenOp op;
  op.name = "mine";
  op.calls = std::move(calls);
  return op;
}

}  // namespace

TEST_CASE("given calls are measured like those of the catalogue, and told in the same order") {
  HostBench bench;
  GivenOp op = opOf({given("a", bench.spin("first")), given("b", bench.spin("second"))});
  op.flops = 100;
  op.environment = {{"torch", "2.11"}};
  const auto run = bench.measure(op, quickJob());
  CHECK(bench.told == std::vector<std::string>{"started", "prepared", "pass", "pass", "pass", "pass"});
  CHECK(run->op == "mine");
  CHECK(run->environment.at("torch") == "2.11");
  CHECK_THAT(run->environment.at("launch core"), ContainsSubstring("the program's own"));
  REQUIRE(run->implementations.size() == 2);
  for (const ImplementationResult& result : run->implementations) {
    CHECK(result.hasNumber());
    CHECK(result.verification.state == VerificationRecord::State::NotChecked);
  }
  CHECK(kernelNames(run->passes[0]->trace) == std::set<std::string>{"first"});
  REQUIRE(run->comparison);
}

TEST_CASE(
    "what a program starts with its first call may run beside the launch core, what is timed stays on it") {
  const auto coresOf = [](pthread_t thread) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    pthread_getaffinity_np(thread, sizeof cores, &cores);
    return cores;
  };
  if (const cpu_set_t mine = coresOf(pthread_self()); CPU_COUNT(&mine) < 2)
    SKIP("This program may use one core alone");
  std::promise<void> over;
  std::thread worker;
  int core = -1, atFirst = 0, atLast = 0;
  cpu_set_t ofWorker;
  CPU_ZERO(&ofWorker);
  std::thread([&] {
    HostBench bench;
    core = pinThisThread({});
    if (core < 0) return;
    const auto launch = bench.spin("k");
    bench.measure(opOf({given("a",
                              [&] {
                                const cpu_set_t own = coresOf(pthread_self());
                                atLast = CPU_COUNT(&own);
                                if (!worker.joinable()) {
                                  atFirst = atLast;
                                  worker = std::thread([ended = over.get_future()] { ended.wait(); });
                                }
                                launch();
                              })}),
                  quickJob(), core);
    ofWorker = coresOf(worker.native_handle());
  }).join();
  if (core < 0) SKIP("The system refuses to pin a thread");
  over.set_value();
  worker.join();
  CHECK(atFirst > 1);
  CHECK(atLast == 1);
  CHECK(CPU_COUNT(&ofWorker) > 0);
  CHECK_FALSE(CPU_ISSET(core, &ofWorker));
}

TEST_CASE("of given calls those that are named are measured, against the one that is the baseline") {
  HostBench bench;
  Job job = quickJob();
  job.implementations = {"c", "a"};
  job.baseline = "a";
  const auto run = bench.measure(
      opOf({given("a", bench.spin("k")), given("b", bench.spin("k")), given("c", bench.spin("k"))}), job);
  REQUIRE(run->implementations.size() == 2);
  CHECK(run->implementations[0].name == "c");
  REQUIRE(run->comparison);
  CHECK(run->comparison->baseline == 1);

  job.implementations = {"d"};
  CHECK_THROWS_AS(bench.measure(opOf({given("a", bench.spin("k"))}), job), UnknownName);
}

TEST_CASE("a given call that fails takes itself alone; what is not its own ends the job") {
  HostBench bench;
  const auto run = bench.measure(
      opOf({given("bad", [] { throw BadInput("it cannot"); }), given("good", bench.spin("k"))}), quickJob());
  REQUIRE(run->implementations[0].failure);
  CHECK(run->implementations[0].failure->message == "it cannot");
  CHECK(run->implementations[1].hasNumber());

  struct Other : std::exception {};
  CHECK_THROWS_AS(bench.measure(opOf({given("bad", [] { throw Other(); })}), quickJob()), Other);
  // The device is as good as before.
  CHECK(bench.measure(opOf({given("good", bench.spin("k"))}), quickJob())->implementations[0].hasNumber());
}

TEST_CASE("a launch from another thread has the remedy that the op brings") {
  HostBench bench;
  GivenOp op = opOf({given("elsewhere", [&bench] { std::jthread(bench.spin("k")); })});
  op.offThreadRemedy = "Switch it off.";
  const auto run = bench.measure(op, quickJob());
  REQUIRE(run->implementations[0].failure);
  CHECK(run->implementations[0].failure->code == ErrorCode::OffThreadLaunch);
  CHECK_THAT(run->implementations[0].failure->remedy, ContainsSubstring("Switch it off."));
}

TEST_CASE("given calls that cannot be measured are refused before anything runs") {
  HostBench bench;
  CHECK_THROWS_AS(bench.measure(opOf({}), quickJob()), BadInput);
  CHECK_THROWS_AS(bench.measure(opOf({given("a", bench.spin("k")), given("a", bench.spin("k"))}), quickJob()),
                  BadInput);
  Job job = quickJob();
  job.protocol.l2 = L2Mode::Rotate;
  CHECK_THROWS_AS(bench.measure(opOf({given("a", bench.spin("k"))}), job), BadInput);
  CHECK(bench.told.empty());
}

TEST_CASE("an engine has given ops before the catalogue's") {
  class Ops final : public GivenOps {
   public:
    std::vector<CatalogueInfo::Op> describe() const override {
      CatalogueInfo::Op op;
      op.name = "rms_norm";
      op.family = "given";
      return {op};
    }
    GivenOp make(const Job& job, Device& device) override {
      GivenOp op;
      op.name = job.op;
      op.calls = {given("only", [&device] { host::launch(device, "given kernel", [] {}); })};
      return op;
    }
  };
  const auto engine = makeLocalEngine({}, std::make_shared<Ops>());
  const CatalogueInfo info = engine->catalogue();
  CHECK(info.ops.front().family == "given");
  CHECK(std::count_if(info.ops.begin(), info.ops.end(),
                      [](const auto& op) { return op.name == "rms_norm"; }) == 1);
  Job job = quickJob();
  job.op = "rms_norm";
  const auto run = runJob(*engine, job);
  CHECK(kernelNames(run->passes.at(0)->trace) == std::set<std::string>{"given kernel"});
  job.op = "layer_norm";
  job.workload = "tiny";
  CHECK(runJob(*engine, job)->implementations.at(0).verification.state == VerificationRecord::State::Passed);
}
