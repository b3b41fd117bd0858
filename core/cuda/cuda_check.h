// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

namespace opscope::cuda {

/// "cudaErrorIllegalAddress (an illegal memory access was encountered)"
std::string textOf(cudaError_t error);

/// Whether the process can go on using the device after this error.
bool isFatal(cudaError_t error);

/// Throws what the error means: DeviceLost, OutOfMemory, DeviceUnavailable, BadInput (a launch that does not
/// fit), Internal. `doing` completes "while ...", as in "launching rms_norm".
[[noreturn]] void throwCudaError(cudaError_t error, std::string_view doing);

inline void check(cudaError_t error, std::string_view doing) {
  if (error != cudaSuccess) [[unlikely]]
    throwCudaError(error, doing);
}

}  // namespace opscope::cuda
