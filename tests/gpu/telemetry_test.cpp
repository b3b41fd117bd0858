// SPDX-License-Identifier: Apache-2.0
// The sensors during passes: that they are read, on the clock of the records, and what that costs the
// figures.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gpu/gpu.h"
#include "timing/launch_thread.h"

using namespace opscope;
using namespace opscope::test;

namespace {

Pass passOf(Device& device, Call& call, bool telemetry, std::uint32_t iterations) {
  Protocol protocol;
  protocol.telemetry = telemetry;
  Silent silent;
  return runPass(device, call, protocol, {.warmups = 20, .iterations = iterations}, silent, {}, {});
}

// Passes with and without, in turn, so that drift meets both alike.
struct Effect {
  std::vector<double> busyOn, busyOff, latencyOn, latencyOff, wallOn, wallOff;
};

Effect effectOn(Device& device, Call& call, int pairs, std::uint32_t iterations) {
  Effect effect;
  for (int p = 0; p < 2 * pairs; ++p) {
    const bool on = p % 4 == 0 || p % 4 == 3;  // on off off on
    const Pass pass = passOf(device, call, on, iterations);
    requireMeasured(pass);
    (on ? effect.busyOn : effect.busyOff).push_back(medianBusy(pass));
    (on ? effect.latencyOn : effect.latencyOff).push_back(medianLatency(pass));
    (on ? effect.wallOn : effect.wallOff).push_back(static_cast<double>(pass.loopWall) / iterations);
  }
  return effect;
}

void print(const char* what, const Effect& effect) {
  const auto line = [what](const char* quantity, const std::vector<double>& on,
                           const std::vector<double>& off) {
    std::printf("GPU: %s: %s on %.3f us, off %.3f us (%+.3f %%)\n", what, quantity, medianOf(on) / 1e3,
                medianOf(off) / 1e3, 100 * (medianOf(on) / medianOf(off) - 1));
  };
  line("busy", effect.busyOn, effect.busyOff);
  line("latency", effect.latencyOn, effect.latencyOff);
  line("wall per iteration", effect.wallOn, effect.wallOff);
}

}  // namespace

TEST_CASE("the sensors are read from any thread, on the clock of the records") {
  const auto device = gpu();
  TelemetrySource* const source = device->telemetrySource();
  if (source == nullptr) SKIP("no sensors: " + device->whyNoTelemetry());
  std::optional<TelemetrySample> sample;
  std::thread([&] { sample = source->read(); }).join();
  REQUIRE(sample.has_value());
  CHECK(sample->smClockMhz.value_or(0) > 0);
  CHECK(sample->memoryClockMhz.value_or(0) > 0);
  CHECK(sample->temperatureC.value_or(0) > 0);
  CHECK(sample->powerMilliwatt.value_or(0) > 0);
  CHECK(sample->throttleReasons.has_value());
  CHECK(std::abs(sample->at - device->now()) < kSecond);
  std::printf("GPU: SM %d MHz, memory %d MHz, %d C, %.1f W, held down by: %s\n",
              sample->smClockMhz.value_or(0), sample->memoryClockMhz.value_or(0),
              sample->temperatureC.value_or(0), sample->powerMilliwatt.value_or(0) / 1e3,
              throttleText(sample->throttleReasons.value_or(0)).c_str());
  constexpr int kReads = 20;
  const Ns from = device->now();
  for (int i = 0; i < kReads; ++i) source->read();
  const Ns between = device->now();
  for (int i = 0; i < kReads; ++i) source->use();
  std::printf("GPU: a reading takes %.3f ms, a look at the processes %.3f ms\n",
              static_cast<double>(between - from) / kReads / 1e6,
              static_cast<double>(device->now() - between) / kReads / 1e6);
}

TEST_CASE("a long pass is read while it runs, at most 20 times a second") {
  const auto device = gpu();
  if (device->telemetrySource() == nullptr) SKIP("no sensors: " + device->whyNoTelemetry());
  keepOtherThreadsOff(pinThisThread(device->info().nearbyCpus));
  Program program(*device, 1024, {step("spin", {"ns"})}, 1'000'000);
  const Pass pass = passOf(*device, *program.call, true, 500);
  requireMeasured(pass);
  const Ns begin = pass.trace.iterations.front().called;
  const Ns end = pass.trace.iterations.back().drained;
  const TelemetrySummary summary = summariseTelemetry(pass);
  std::printf("GPU: a pass of %.0f ms has %zu readings, %u of its loop; SM %d..%d MHz\n",
              static_cast<double>(end - begin) / 1e6, pass.telemetry.size(), summary.readings,
              summary.smClockMhz ? summary.smClockMhz->low : 0,
              summary.smClockMhz ? summary.smClockMhz->high : 0);
  CHECK(summary.readings >= 3);
  CHECK(pass.telemetry.back().at >= end);
  CHECK(std::is_sorted(pass.telemetry.begin(), pass.telemetry.end(),
                       [](const TelemetrySample& a, const TelemetrySample& b) { return a.at < b.at; }));
  const auto inside =
      std::count_if(pass.telemetry.begin(), pass.telemetry.end(),
                    [&](const TelemetrySample& sample) { return sample.at > begin && sample.at < end; });
  CHECK(inside >= 1);
  CHECK(static_cast<double>(inside) <= static_cast<double>(end - begin) / 50e6 + 1);
  REQUIRE(summary.smClockMhz);
  CHECK(summary.smClockMhz->low > 0);
}

TEST_CASE("reading the sensors moves neither busy nor latency by more than 1 %") {
  const auto device = gpu();
  if (device->telemetrySource() == nullptr) SKIP("no sensors: " + device->whyNoTelemetry());
  keepOtherThreadsOff(pinThisThread(device->info().nearbyCpus));
  constexpr std::int64_t kElements = 1 << 22;
  Program three(*device, kElements, {scaleStep(kElements), scaleStep(kElements), scaleStep(kElements)});
  Program one(*device, kElements, {scaleStep(kElements)});
  for (const auto& [what, call] : {std::pair("one kernel of 16 MB", one.call.get()),
                                   std::pair("three kernels of 16 MB", three.call.get())}) {
    passOf(*device, *call, true, 200);
    // Long enough that several readings fall into each loop.
    const Effect effect = effectOn(*device, *call, 10, 5000);
    print(what, effect);
    CHECK(std::abs(medianOf(effect.busyOn) / medianOf(effect.busyOff) - 1) < 0.01);
    CHECK(std::abs(medianOf(effect.latencyOn) / medianOf(effect.latencyOff) - 1) < 0.01);
  }
}

TEST_CASE("what can be set on the GPU is told, and who uses it") {
  const auto device = gpu();
  std::vector<std::string> names;
  for (const DeviceFact& fact : device->facts()) {
    names.push_back(fact.name);
    CHECK_FALSE(fact.value.empty());
    const Check check = checkOf(fact, device->info().id);
    std::printf("GPU: %s: %s\n", check.subject.c_str(), check.sentence.c_str());
    if (!check.remedy.empty()) std::printf("GPU:   %s\n", check.remedy.c_str());
  }
  for (const char* name : {"locked clocks", "power limit", "persistence mode", "ecc", "mig", "mps",
                           "cuda visible devices", "gpu processes"})
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  CHECK(device->info().memoryBytesPerSecond > 1e11);
  std::printf("GPU: memory could carry %.3f TB/s\n", device->info().memoryBytesPerSecond / 1e12);
  if (TelemetrySource* const source = device->telemetrySource())
    if (const auto use = source->use())
      for (const DeviceProcess& process : use->processes)
        std::printf("GPU: process %u: %d %%, %lld bytes%s\n", process.pid, process.smPercent.value_or(-1),
                    static_cast<long long>(process.memoryBytes),
                    use->ownPid == process.pid ? " (this one)" : "");
}
