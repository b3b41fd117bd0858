// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "trace/pass.h"

namespace opscope::cuda {

/// NVIDIA's management library: the driver's version and a GPU's sensors. Its header belongs to no toolkit
/// package that the rest needs, so the few functions are declared in nvml.cpp. Any thread.
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

  /// Chooses the GPU whose sensors are read, by "GPU-..." uuid, else by PCI bus id.
  bool choose(const std::string& uuid, const std::string& pciBusId);
  /// Everything the chosen GPU tells; nullopt when none was chosen or it tells nothing. `at` is left 0.
  std::optional<TelemetrySample> sample() const;

 private:
  struct Api;
  std::unique_ptr<Api> api_;
  std::string missing_;
  std::string driverVersion_;
  void* device_ = nullptr;
};

}  // namespace opscope::cuda
