// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/cupti_process.h"
#include "cuda/nvml.h"
#include "device/telemetry_source.h"

namespace opscope::cuda {

/// A GPU's sensors as NVML reads them, stamped with CUPTI's clock. Both may be asked on any thread.
class CudaTelemetry final : public TelemetrySource {
 public:
  CudaTelemetry(const Nvml& nvml, const CuptiProcess& cupti) : nvml_(nvml), cupti_(cupti) {}
  std::optional<TelemetrySample> read() noexcept override;
  std::optional<DeviceUse> use() noexcept override;

 private:
  const Nvml& nvml_;
  const CuptiProcess& cupti_;
};

}  // namespace opscope::cuda
