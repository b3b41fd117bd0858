// SPDX-License-Identifier: Apache-2.0
#include "cuda/nvml.h"

#include <fmt/format.h>

#include <array>

#include "cuda/library.h"
#include "cuda/toolkit_paths.h"

namespace opscope::cuda {
namespace {

// NVML's stable C interface, as its documentation gives it.
using Return = int;
constexpr Return kSuccess = 0;
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuTemperature = 0;

}  // namespace

struct Nvml::Api {
  Library library;
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*errorString)(Return) = nullptr;
  Return (*driverVersion)(char*, unsigned) = nullptr;
  Return (*handleByUuid)(const char*, void**) = nullptr;
  Return (*handleByPciBusId)(const char*, void**) = nullptr;
  Return (*clockInfo)(void*, int, unsigned*) = nullptr;
  Return (*temperature)(void*, int, unsigned*) = nullptr;
  Return (*powerUsage)(void*, unsigned*) = nullptr;
  Return (*eventReasons)(void*, unsigned long long*) = nullptr;
};

Nvml::Nvml() : api_(std::make_unique<Api>()) {
  Api& api = *api_;
  api.library = Library::open({"libnvidia-ml.so.1"}, libraryFolders());
  if (!api.library) {
    missing_ = "NVML (libnvidia-ml.so.1, part of the driver) was not found";
    return;
  }
  const bool complete = api.library.find("nvmlInit_v2", api.init) &&
                        api.library.find("nvmlShutdown", api.shutdown) &&
                        api.library.find("nvmlErrorString", api.errorString) &&
                        api.library.find("nvmlSystemGetDriverVersion", api.driverVersion) &&
                        api.library.find("nvmlDeviceGetHandleByUUID", api.handleByUuid) &&
                        api.library.find("nvmlDeviceGetHandleByPciBusId_v2", api.handleByPciBusId);
  if (!complete) {
    missing_ = fmt::format("NVML in {} is too old", api.library.path());
    return;
  }
  api.library.find("nvmlDeviceGetClockInfo", api.clockInfo);
  api.library.find("nvmlDeviceGetTemperature", api.temperature);
  api.library.find("nvmlDeviceGetPowerUsage", api.powerUsage);
  // Renamed in driver 535; the old name still works in older drivers.
  if (!api.library.find("nvmlDeviceGetCurrentClocksEventReasons", api.eventReasons))
    api.library.find("nvmlDeviceGetCurrentClocksThrottleReasons", api.eventReasons);
  if (const Return result = api.init(); result != kSuccess) {
    missing_ = fmt::format("NVML does not start: {}", api.errorString(result));
    return;
  }
  std::array<char, 96> version{};
  if (api.driverVersion(version.data(), version.size()) == kSuccess) driverVersion_ = version.data();
}

Nvml::~Nvml() {
  if (available()) api_->shutdown();
}

bool Nvml::choose(const std::string& uuid, const std::string& pciBusId) {
  device_ = nullptr;
  if (!available()) return false;
  if (!uuid.empty() && api_->handleByUuid(uuid.c_str(), &device_) == kSuccess) return true;
  if (!pciBusId.empty() && api_->handleByPciBusId(pciBusId.c_str(), &device_) == kSuccess) return true;
  device_ = nullptr;
  return false;
}

std::optional<TelemetrySample> Nvml::sample() const {
  if (device_ == nullptr) return std::nullopt;
  TelemetrySample sample;
  unsigned value = 0;
  bool any = false;
  const auto take = [&](std::optional<int>& to, bool ok) {
    if (!ok) return;
    to = static_cast<int>(value);
    any = true;
  };
  const Api& api = *api_;
  take(sample.smClockMhz, api.clockInfo != nullptr && api.clockInfo(device_, kSmClock, &value) == kSuccess);
  take(sample.memoryClockMhz,
       api.clockInfo != nullptr && api.clockInfo(device_, kMemoryClock, &value) == kSuccess);
  take(sample.temperatureC,
       api.temperature != nullptr && api.temperature(device_, kGpuTemperature, &value) == kSuccess);
  take(sample.powerMilliwatt, api.powerUsage != nullptr && api.powerUsage(device_, &value) == kSuccess);
  unsigned long long reasons = 0;
  if (api.eventReasons != nullptr && api.eventReasons(device_, &reasons) == kSuccess) {
    sample.throttleReasons = reasons;
    any = true;
  }
  if (!any) return std::nullopt;
  return sample;
}

}  // namespace opscope::cuda
