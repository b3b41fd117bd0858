// SPDX-License-Identifier: Apache-2.0
#include "engine/environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace opscope {
namespace {

std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) return line.substr(colon + 2);
  }
  return "unknown";
}

void addSensors(Environment& environment, const TelemetrySample& sample) {
  if (sample.smClockMhz) environment["sm clock at start"] = fmt::format("{} MHz", *sample.smClockMhz);
  if (sample.memoryClockMhz)
    environment["memory clock at start"] = fmt::format("{} MHz", *sample.memoryClockMhz);
  if (sample.temperatureC) environment["temperature at start"] = fmt::format("{} C", *sample.temperatureC);
  if (sample.powerMilliwatt)
    environment["power at start"] = fmt::format("{:.1f} W", *sample.powerMilliwatt / 1000.0);
  if (sample.throttleReasons)
    environment["clocks held down at start by"] = throttleText(*sample.throttleReasons);
}

void addTelemetry(Environment& environment, Device& device, bool wanted) {
  TelemetrySource* const source = device.telemetrySource();
  if (source == nullptr) {
    environment["sensors"] = "no sensors: " + device.whyNoTelemetry();
    return;
  }
  environment["sensors"] = wanted ? "read during passes" : "not read during passes: switched off";
  if (const auto sample = source->read()) addSensors(environment, *sample);
}

}  // namespace

Environment environmentOf(Device& device, int launchCore, bool telemetry) {
  const DeviceInfo& info = device.info();
  Environment environment;
  environment["opscope"] = OPSCOPE_VERSION;
  for (const auto& [what, version] : info.versions) environment[what] = version;
  if (!info.uuid.empty()) environment["device uuid"] = info.uuid;
  if (!info.architecture.empty()) environment["architecture"] = info.architecture;
  if (info.l2Bytes > 0) environment["l2 bytes"] = fmt::format("{}", info.l2Bytes);
  environment["cpu"] = cpuName();
  environment["cpu threads"] = fmt::format("{}", std::thread::hardware_concurrency());
  environment["launch core"] = launchCore >= 0                ? fmt::format("{}", launchCore)
                               : launchCore == kCallersThread ? "not pinned: the thread is the program's own"
                                                              : "not pinned: the system refused";
  if (utsname system{}; uname(&system) == 0)
    environment["kernel"] = fmt::format("{} {}", system.sysname, system.release);
  addTelemetry(environment, device, telemetry);
  for (const DeviceFact& fact : device.facts()) environment[fact.name] = fact.value;
  return environment;
}

}  // namespace opscope
