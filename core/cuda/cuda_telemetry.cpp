// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_telemetry.h"

#include <new>

namespace opscope::cuda {

std::optional<TelemetrySample> CudaTelemetry::read() noexcept {
  // The clocks are read first and matter most: theirs is the instant.
  const Ns at = cupti_.now();
  std::optional<TelemetrySample> sample = nvml_.sample();
  if (sample) sample->at = at;
  return sample;
}

std::optional<DeviceUse> CudaTelemetry::use() noexcept {
  try {
    return nvml_.use();
  } catch (const std::bad_alloc&) {
    return std::nullopt;  // who else uses the GPU is then unknown, which is what absence says
  }
}

}  // namespace opscope::cuda
