// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/call.h"

namespace opscope::cuda {

/// Memory of the current GPU.
class CudaMemory final : public DeviceMemory {
 public:
  /// Throws OutOfMemory, naming the size and what is free.
  explicit CudaMemory(std::size_t bytes);
  ~CudaMemory() override;
  std::size_t bytes() const override { return bytes_; }
  void* address() const override { return address_; }

 private:
  std::size_t bytes_;
  void* address_ = nullptr;
};

}  // namespace opscope::cuda
