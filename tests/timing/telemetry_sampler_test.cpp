// SPDX-License-Identifier: Apache-2.0
#include "timing/telemetry_sampler.h"

#include <sched.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>

#include "scripted_setup.h"
#include "timing/launch_thread.h"

using namespace opscope;
using namespace opscope::test;
using namespace std::chrono_literals;

namespace {

// Counts its readings, and remembers who made them, when and where.
class Probe : public TelemetrySource {
 public:
  std::optional<TelemetrySample> read() noexcept override {
    const std::lock_guard lock(mutex_);
    sched_getaffinity(0, sizeof cores, &cores);
    reader = std::this_thread::get_id();
    instants.push_back(std::chrono::steady_clock::now());
    changed_.notify_all();
    if (silent) return std::nullopt;
    return TelemetrySample{.at = static_cast<Ns>(instants.size()), .smClockMhz = 1000};
  }
  std::optional<DeviceUse> use() noexcept override {
    ++looks;
    return DeviceUse{};
  }
  void waitFor(std::size_t readings) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return instants.size() >= readings; });
  }

  std::vector<std::chrono::steady_clock::time_point> instants;
  std::thread::id reader;
  cpu_set_t cores{};
  int looks = 0;
  bool silent = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

constexpr std::chrono::hours kNever{1};

}  // namespace

TEST_CASE("what is asked for is read before the wait for it ends, on another thread") {
  Probe probe;
  TelemetrySampler sampler(&probe, kNever);
  sampler.request();
  sampler.await();
  CHECK(probe.instants.size() == 1);
  sampler.request();
  const auto readings = sampler.finish();
  REQUIRE(readings.samples.size() == 2);
  CHECK(readings.samples[0].at == 1);
  CHECK(readings.samples[1].at == 2);
  CHECK(readings.use.has_value());
  CHECK(probe.looks == 1);
  CHECK(probe.reader != std::this_thread::get_id());
}

TEST_CASE("between requests the sensors are read by themselves, never sooner than the period allows") {
  Probe probe;
  constexpr auto kPeriod = 2ms;
  TelemetrySampler sampler(&probe, kPeriod);
  probe.waitFor(4);
  const auto readings = sampler.finish();
  REQUIRE(readings.samples.size() >= 4);
  for (std::size_t i = 1; i < probe.instants.size(); ++i)
    CHECK(probe.instants[i] - probe.instants[i - 1] >= kPeriod);
  CHECK(TelemetrySampler::kPeriod >= 50ms);  // at most 20 a second
}

TEST_CASE("an abandoned sampler ends at once and looks at nothing") {
  Probe probe;
  {
    TelemetrySampler sampler(&probe, kNever);
  }
  CHECK(probe.instants.empty());
  CHECK(probe.looks == 0);
}

TEST_CASE("without a source, and from sensors that do not answer, there are no readings") {
  TelemetrySampler none(nullptr);
  none.request();
  none.await();
  CHECK(none.finish().samples.empty());
  Probe probe;
  probe.silent = true;
  TelemetrySampler sampler(&probe, kNever);
  sampler.request();
  sampler.await();
  CHECK(sampler.finish().samples.empty());
  CHECK(probe.instants.size() == 1);
}

TEST_CASE("the sampler keeps off the core that its maker is pinned to") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  if (CPU_COUNT(&before) < 2) SKIP("this machine gives the process one core only");
  std::thread([] {
    const int core = pinThisThread({});
    REQUIRE(core >= 0);
    Probe probe;
    TelemetrySampler sampler(&probe, kNever);
    sampler.request();
    sampler.finish();
    CHECK_FALSE(CPU_ISSET(core, &probe.cores));
    CHECK(CPU_COUNT(&probe.cores) >= 1);
  }).join();
}

TEST_CASE("a pass has a reading at the begin and at the end of its loop") {
  scripted::Script script = always({{}});
  script.sensors = [](Ns now) {
    return TelemetrySample{.smClockMhz = static_cast<int>(now / kMillisecond), .temperatureC = 40};
  };
  script.use = [] { return DeviceUse{.processes = {{.pid = 5}}, .ownPid = 5}; };
  Stage stage(std::move(script));
  const Pass pass = runPass(*stage.device, stage.call(), Protocol{}, {.warmups = 3, .iterations = 5},
                            stage.listener, stage.stop.get_token(), {});
  REQUIRE(pass.telemetry.size() >= 2);
  const auto& marks = pass.trace.iterations;
  CHECK(pass.telemetry.front().at <= marks.front().called);
  CHECK(pass.telemetry.back().at >= marks.back().drained);
  CHECK(summariseTelemetry(pass).hottestC == 40);
  REQUIRE(pass.use.has_value());
  CHECK(otherProcesses(*pass.use) == 0);
}

TEST_CASE("telemetry can be switched off, and a device without sensors has none") {
  scripted::Script script = always({{}});
  script.sensors = [](Ns) { return TelemetrySample{.smClockMhz = 1}; };
  Stage with(std::move(script)), without(always({{}}));
  Protocol off;
  off.telemetry = false;
  const auto passOf = [](Stage& stage, const Protocol& protocol) {
    return runPass(*stage.device, stage.call(), protocol, {.warmups = 1, .iterations = 2}, stage.listener,
                   stage.stop.get_token(), {});
  };
  CHECK(passOf(with, off).telemetry.empty());
  CHECK_FALSE(passOf(with, off).use);
  CHECK(passOf(with, {}).telemetry.size() >= 2);
  CHECK(without.device->telemetrySource() == nullptr);
  CHECK(without.device->whyNoTelemetry() == "the script has none");
  CHECK(passOf(without, {}).telemetry.empty());
}
