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
    environment["clock event reasons at start"] = fmt::format("{:#x}", *sample.throttleReasons);
}

}  // namespace

Environment environmentOf(Device& device, int launchCore) {
  const DeviceInfo& info = device.info();
  Environment environment;
  environment["opscope"] = OPSCOPE_VERSION;
  for (const auto& [what, version] : info.versions) environment[what] = version;
  if (!info.uuid.empty()) environment["device uuid"] = info.uuid;
  if (!info.architecture.empty()) environment["architecture"] = info.architecture;
  if (info.l2Bytes > 0) environment["l2 bytes"] = fmt::format("{}", info.l2Bytes);
  environment["cpu"] = cpuName();
  environment["cpu threads"] = fmt::format("{}", std::thread::hardware_concurrency());
  environment["launch core"] =
      launchCore >= 0 ? fmt::format("{}", launchCore) : "not pinned: the system refused";
  if (utsname system{}; uname(&system) == 0)
    environment["kernel"] = fmt::format("{} {}", system.sysname, system.release);
  if (const auto sample = device.telemetry())
    addSensors(environment, *sample);
  else
    environment["sensors"] = "none on this device";
  return environment;
}

}  // namespace opscope
