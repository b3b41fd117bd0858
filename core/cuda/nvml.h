// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "trace/telemetry.h"

namespace opscope::cuda {

/// What of a GPU somebody can set, as NVML tells it. Absent: this GPU, driver or container does not.
struct GpuSettings {
  std::optional<int> applicationSmMhz;
  std::optional<int> defaultApplicationSmMhz;
  std::optional<int> maxSmMhz;
  std::optional<int> applicationMemoryMhz;
  std::optional<int> defaultApplicationMemoryMhz;
  std::optional<int> maxMemoryMhz;
  std::optional<std::uint64_t> throttleReasons;
  std::optional<bool> persistence;
  std::optional<bool> mig;
  std::optional<bool> ecc;
  std::optional<int> powerLimitMilliwatt;  ///< the one in force
  std::optional<int> defaultPowerLimitMilliwatt;
  std::optional<std::uint32_t> mpsProcesses;  ///< those that share the GPU through MPS
};

/// NVIDIA's management library: the driver's version, a GPU's sensors, settings and users. Its header belongs
/// to no toolkit package that the rest needs, so the few functions are declared in nvml.cpp. Any thread.
class Nvml {
 public:
  /// Empty when there is none; then missing() says why.
  Nvml();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool available() const { return missing_.empty(); }
  const std::string& missing() const { return missing_; }
  const std::string& driverVersion() const { return driverVersion_; }  ///< "580.65.06"

  /// Chooses the GPU that the rest is about, by "GPU-..." uuid, else by PCI bus id.
  bool choose(const std::string& uuid, const std::string& pciBusId);
  bool chosen() const { return device_ != nullptr; }

  /// Everything that the chosen GPU's sensors tell; nullopt when none was chosen or they tell nothing. `at`
  /// is left 0.
  std::optional<TelemetrySample> sample() const;
  GpuSettings settings() const;
  /// The processes with a context on the chosen GPU, and how much of its time each had at most in the second
  /// that ends now, as far as the driver has sampled it; nullopt when it does not tell.
  std::optional<DeviceUse> use() const;

 private:
  struct Api;
  std::unique_ptr<Api> api_;
  std::string missing_;
  std::string driverVersion_;
  void* device_ = nullptr;
};

}  // namespace opscope::cuda
