// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "base/format.h"
#include "device/host/device_info.h"
#include "device/host/host_device.h"
#include "device/host/machine.h"
#include "device/range_tap.h"

namespace opscope::host {
namespace {

class HostProvider : public DeviceProvider {
 public:
  std::string kind() const override { return "host"; }
  std::vector<DeviceInfo> devices() override { return {hostDeviceInfo()}; }

  std::unique_ptr<Device> open(const std::string& id) override {
    if (id != "host")
      throw NoSuchDevice(fmt::format("There is no host device \"{}\"", id), "Its name is \"host\".");
    return openHostDevice();
  }

  std::vector<Check> diagnose() override {
    const DeviceInfo info = hostDeviceInfo();
    std::vector<Check> checks{{Check::State::Ok, "Host device",
                               fmt::format("{}, {} cores for this program.", info.name, info.multiprocessors),
                               ""}};
    if (info.multiprocessors < 2)
      checks.push_back({Check::State::Warning, "Host device cores",
                        "The launch thread and the kernels share one core: the gaps between kernels are the "
                        "scheduler's.",
                        "Give the program at least two cores."});
    if (info.l2Bytes == 0)
      checks.push_back({Check::State::Info, "Host device caches",
                        "The system does not tell the size of the last-level cache; clearing takes the "
                        "largest buffer.",
                        ""});
    else
      checks.push_back({Check::State::Ok, "Host device caches",
                        fmt::format("Last-level cache {}.", formatBytes(static_cast<double>(info.l2Bytes))),
                        ""});
    checks.push_back(rangeTapCheck());
    return checks;
  }
};

}  // namespace

DeviceInfo hostDeviceInfo() {
  const cpu_set_t cores = programCores();
  DeviceInfo info;
  info.id = "host";
  info.kind = "host";
  info.name = cpuName();
  info.figures = FigureKind::HostCpu;
  info.method = "host-records";
  info.architecture = architecture();
  info.memoryBytes = meminfoBytes("MemTotal");
  info.l2Bytes = lastLevelCacheBytes();
  info.multiprocessors = CPU_COUNT(&cores);
  info.timestampTick = measuredTick();
  info.versions = {{"kernel", kernelRelease()}, {"compiler", fmt::format("{}", __VERSION__)}};
  return info;
}

std::unique_ptr<DeviceProvider> makeHostProvider() {
  return std::make_unique<HostProvider>();
}

}  // namespace opscope::host
