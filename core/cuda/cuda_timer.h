// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/cuda_handles.h"
#include "device/device.h"

namespace opscope::cuda {

/// A pair of events on the main stream.
class CudaTimer final : public DeviceTimer {
 public:
  explicit CudaTimer(cudaStream_t stream);
  void start() override;
  void stop() override;
  Ns elapsed() override;

 private:
  cudaStream_t stream_;
  Event from_;
  Event to_;
};

}  // namespace opscope::cuda
