// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/provider.h"

namespace opscope::cuda {

/// The NVIDIA GPUs of this machine: "cuda:0", "cuda:1", ... in CUDA's own order; "cuda" is the first.
class CudaProvider final : public DeviceProvider {
 public:
  CudaProvider();
  std::string kind() const override { return "cuda"; }
  std::vector<DeviceInfo> devices() override;
  std::unique_ptr<Device> open(const std::string& id) override;
  std::vector<Check> diagnose() override;
};

/// How many GPUs there are, or why none can be used, as a sentence and a remedy.
struct GpuCount {
  int count = 0;
  std::string problem;
  std::string remedy;
};
GpuCount countGpus();

}  // namespace opscope::cuda
