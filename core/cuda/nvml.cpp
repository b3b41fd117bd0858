// SPDX-License-Identifier: Apache-2.0
#include "cuda/nvml.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "cuda/library.h"
#include "cuda/toolkit_paths.h"

namespace opscope::cuda {
namespace {

// NVML's stable C interface, as its documentation gives it.
using Return = int;
constexpr Return kSuccess = 0;
constexpr Return kInsufficientSize = 7;
constexpr int kSmClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kGpuTemperature = 0;
constexpr unsigned long long kNotAvailable = ~0ULL;

/// nvmlProcessInfo_t of the functions with _v2 and _v3.
struct ProcessInfo {
  unsigned pid = 0;
  unsigned long long usedGpuMemory = 0;
  unsigned gpuInstanceId = 0;
  unsigned computeInstanceId = 0;
};
static_assert(sizeof(ProcessInfo) == 24);

/// nvmlProcessUtilizationSample_t.
struct ProcessUtilization {
  unsigned pid = 0;
  unsigned long long timeStamp = 0;  // us of wall time
  unsigned smUtil = 0;
  unsigned memUtil = 0;
  unsigned encUtil = 0;
  unsigned decUtil = 0;
};
static_assert(sizeof(ProcessUtilization) == 32);

using GetNumber = Return (*)(void*, unsigned*);
using GetClock = Return (*)(void*, int, unsigned*);
using GetPair = Return (*)(void*, unsigned*, unsigned*);
using GetProcesses = Return (*)(void*, unsigned*, ProcessInfo*);

template <typename Get, typename... Arguments>
std::optional<int> numberOf(Get get, void* device, Arguments... arguments) {
  unsigned value = 0;
  if (get == nullptr || get(device, arguments..., &value) != kSuccess) return std::nullopt;
  return static_cast<int>(value);
}

std::optional<bool> isOn(const std::optional<int>& value) {
  return value ? std::optional(*value != 0) : std::nullopt;
}

// Settings that a restart would change are told as a pair: now, and then.
std::optional<bool> isOnNow(GetPair get, void* device) {
  unsigned now = 0, pending = 0;
  if (get == nullptr || get(device, &now, &pending) != kSuccess) return std::nullopt;
  return now != 0;
}

std::optional<std::vector<ProcessInfo>> processesOf(GetProcesses get, void* device) {
  if (get == nullptr) return std::nullopt;
  // The drivers 535.43 to 535.86 have a _v3 with longer rows: room for them, so that they overrun nothing.
  constexpr std::size_t kRoomFor = 2;
  unsigned count = 0;
  std::vector<ProcessInfo> processes;
  Return result = get(device, &count, nullptr);
  for (int attempt = 0; result == kInsufficientSize && attempt < 3; ++attempt) {
    count += 8;  // some may start between the two calls
    processes.resize(count * kRoomFor);
    result = get(device, &count, processes.data());
  }
  if (result != kSuccess) return std::nullopt;
  processes.resize(std::min<std::size_t>(count, processes.size()));
  return processes;
}

}  // namespace

struct Nvml::Api {
  Library library;
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*errorString)(Return) = nullptr;
  Return (*driverVersion)(char*, unsigned) = nullptr;
  Return (*handleByUuid)(const char*, void**) = nullptr;
  Return (*handleByPciBusId)(const char*, void**) = nullptr;
  GetClock clockInfo = nullptr;
  GetClock temperature = nullptr;
  GetNumber powerUsage = nullptr;
  Return (*eventReasons)(void*, unsigned long long*) = nullptr;
  GetClock applicationsClock = nullptr;
  GetClock defaultApplicationsClock = nullptr;
  GetClock maxClock = nullptr;
  GetNumber persistence = nullptr;
  GetNumber powerLimit = nullptr;
  GetNumber defaultPowerLimit = nullptr;
  GetPair migMode = nullptr;
  GetPair eccMode = nullptr;
  GetProcesses computeProcesses = nullptr;
  GetProcesses mpsProcesses = nullptr;
  Return (*processUtilization)(void*, ProcessUtilization*, unsigned*, unsigned long long) = nullptr;

  bool findRequired();
  void findOptional(const std::string& driver);
};

bool Nvml::Api::findRequired() {
  return library.find("nvmlInit_v2", init) && library.find("nvmlShutdown", shutdown) &&
         library.find("nvmlErrorString", errorString) &&
         library.find("nvmlSystemGetDriverVersion", driverVersion) &&
         library.find("nvmlDeviceGetHandleByUUID", handleByUuid) &&
         library.find("nvmlDeviceGetHandleByPciBusId_v2", handleByPciBusId);
}

void Nvml::Api::findOptional(const std::string& driver) {
  library.find("nvmlDeviceGetClockInfo", clockInfo);
  library.find("nvmlDeviceGetTemperature", temperature);
  library.find("nvmlDeviceGetPowerUsage", powerUsage);
  // Renamed in driver 535; the old name still works in older drivers.
  if (!library.find("nvmlDeviceGetCurrentClocksEventReasons", eventReasons))
    library.find("nvmlDeviceGetCurrentClocksThrottleReasons", eventReasons);
  library.find("nvmlDeviceGetApplicationsClock", applicationsClock);
  library.find("nvmlDeviceGetDefaultApplicationsClock", defaultApplicationsClock);
  library.find("nvmlDeviceGetMaxClockInfo", maxClock);
  library.find("nvmlDeviceGetPersistenceMode", persistence);
  library.find("nvmlDeviceGetEnforcedPowerLimit", powerLimit);
  library.find("nvmlDeviceGetPowerManagementDefaultLimit", defaultPowerLimit);
  library.find("nvmlDeviceGetMigMode", migMode);
  library.find("nvmlDeviceGetEccMode", eccMode);
  library.find("nvmlDeviceGetProcessUtilization", processUtilization);
  // Rows of another length than declared above would be read as wrong process ids.
  const bool longRows =
      driver.starts_with("535.43") || driver.starts_with("535.54") || driver.starts_with("535.86");
  if (longRows || !library.find("nvmlDeviceGetComputeRunningProcesses_v3", computeProcesses))
    library.find("nvmlDeviceGetComputeRunningProcesses_v2", computeProcesses);
  if (!longRows) library.find("nvmlDeviceGetMPSComputeRunningProcesses_v3", mpsProcesses);
}

Nvml::Nvml() : api_(std::make_unique<Api>()) {
  Api& api = *api_;
  api.library = Library::open({"libnvidia-ml.so.1"}, libraryFolders());
  if (!api.library) {
    missing_ = "NVML (libnvidia-ml.so.1, part of the driver) was not found";
    return;
  }
  if (!api.findRequired()) {
    missing_ = fmt::format("NVML in {} is too old", api.library.path());
    return;
  }
  if (const Return result = api.init(); result != kSuccess) {
    missing_ = fmt::format("NVML does not start: {}", api.errorString(result));
    return;
  }
  std::array<char, 96> version{};
  if (api.driverVersion(version.data(), version.size()) == kSuccess) driverVersion_ = version.data();
  api.findOptional(driverVersion_);
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
  const Api& api = *api_;
  TelemetrySample sample;
  sample.smClockMhz = numberOf(api.clockInfo, device_, kSmClock);
  sample.memoryClockMhz = numberOf(api.clockInfo, device_, kMemoryClock);
  sample.temperatureC = numberOf(api.temperature, device_, kGpuTemperature);
  sample.powerMilliwatt = numberOf(api.powerUsage, device_);
  unsigned long long reasons = 0;
  if (api.eventReasons != nullptr && api.eventReasons(device_, &reasons) == kSuccess)
    sample.throttleReasons = reasons;
  if (sample == TelemetrySample{}) return std::nullopt;
  return sample;
}

GpuSettings Nvml::settings() const {
  GpuSettings settings;
  if (device_ == nullptr) return settings;
  const Api& api = *api_;
  settings.applicationSmMhz = numberOf(api.applicationsClock, device_, kSmClock);
  settings.defaultApplicationSmMhz = numberOf(api.defaultApplicationsClock, device_, kSmClock);
  settings.maxSmMhz = numberOf(api.maxClock, device_, kSmClock);
  settings.applicationMemoryMhz = numberOf(api.applicationsClock, device_, kMemoryClock);
  settings.defaultApplicationMemoryMhz = numberOf(api.defaultApplicationsClock, device_, kMemoryClock);
  settings.maxMemoryMhz = numberOf(api.maxClock, device_, kMemoryClock);
  if (const auto now = sample()) settings.throttleReasons = now->throttleReasons;
  settings.persistence = isOn(numberOf(api.persistence, device_));
  settings.mig = isOnNow(api.migMode, device_);
  settings.ecc = isOnNow(api.eccMode, device_);
  settings.powerLimitMilliwatt = numberOf(api.powerLimit, device_);
  settings.defaultPowerLimitMilliwatt = numberOf(api.defaultPowerLimit, device_);
  if (const auto processes = processesOf(api.mpsProcesses, device_))
    settings.mpsProcesses = static_cast<std::uint32_t>(processes->size());
  return settings;
}

std::optional<DeviceUse> Nvml::use() const {
  if (device_ == nullptr) return std::nullopt;
  const auto listed = processesOf(api_->computeProcesses, device_);
  if (!listed) return std::nullopt;
  DeviceUse use;
  for (const ProcessInfo& process : *listed) {
    use.processes.push_back(
        {process.pid, std::nullopt,
         process.usedGpuMemory == kNotAvailable ? -1 : static_cast<std::int64_t>(process.usedGpuMemory)});
    if (process.pid == static_cast<unsigned>(getpid())) use.ownPid = process.pid;
  }
  if (api_->processUtilization == nullptr) return use;
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const auto since = static_cast<unsigned long long>((now - std::chrono::seconds(1)).count());
  unsigned count = 0;
  std::vector<ProcessUtilization> samples;
  Return result = api_->processUtilization(device_, nullptr, &count, since);
  if (result == kInsufficientSize && count > 0) {
    samples.resize(count);
    result = api_->processUtilization(device_, samples.data(), &count, since);
  }
  if (result != kSuccess) return use;  // "not found": the driver has sampled nobody since
  samples.resize(std::min<std::size_t>(count, samples.size()));
  for (const ProcessUtilization& sample : samples)
    for (DeviceProcess& process : use.processes)
      if (process.pid == sample.pid && sample.timeStamp >= since)
        process.smPercent = std::max(process.smPercent.value_or(0), static_cast<int>(sample.smUtil));
  return use;
}

}  // namespace opscope::cuda
