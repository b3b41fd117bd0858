// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/call.h"

namespace opscope::cuda {

/// The values of one launch in the form that CUDA takes: an address per parameter. Moving keeps the
/// addresses.
class KernelArguments {
 public:
  /// Looks the names up among the call's tensors and scalars. Throws BadInput for a name that is neither.
  KernelArguments(const CallSpec& spec, const KernelStep& step);
  KernelArguments(const KernelArguments&) = delete;  // a copy's addresses would be the original's
  KernelArguments& operator=(const KernelArguments&) = delete;
  KernelArguments(KernelArguments&&) noexcept = default;
  KernelArguments& operator=(KernelArguments&&) noexcept = default;

  void** addresses() { return addresses_.data(); }
  /// Throws BadInput, naming the kernel, the argument and both sizes, unless count and sizes are the
  /// kernel's.
  void validate(const std::vector<std::size_t>& parameterSizes) const;

 private:
  struct Slot {
    alignas(8) std::array<std::byte, 8> bytes{};
  };
  std::string label_;
  std::string kernel_;
  std::vector<std::string> names_;
  std::vector<std::string> kinds_;  ///< how each is passed, for messages
  std::vector<Slot> slots_;
  std::vector<void*> addresses_;
};

/// The sizes of a kernel's parameters in bytes; nullopt when this driver cannot tell.
std::optional<std::vector<std::size_t>> parameterSizesOf(cudaKernel_t kernel);

/// The tensor of that name. Throws BadInput.
const TensorArg& tensorNamed(const CallSpec& spec, std::string_view name);

}  // namespace opscope::cuda
