// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda/nvml.h"
#include "device/check.h"

namespace opscope::cuda {

/// What of this process' surroundings changes how a GPU is shared.
struct GpuSharing {
  std::optional<std::string> visibleDevices;  ///< CUDA_VISIBLE_DEVICES
  std::string mpsPipe;                        ///< where the MPS control daemon would be reached
  bool mpsDaemon = false;                     ///< something answers to its name there
};
GpuSharing gpuSharing();

/// The settings as facts: what each is, whether it is one to mind, and the command that changes it. `gpu` is
/// what nvidia-smi's -i takes; `use` is nullopt where the driver does not tell. Pure.
std::vector<DeviceFact> factsOf(const GpuSettings& settings, const GpuSharing& sharing,
                                const std::optional<DeviceUse>& use, const std::string& gpu);

}  // namespace opscope::cuda
