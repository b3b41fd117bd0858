// SPDX-License-Identifier: Apache-2.0
#include <cuda_profiler_api.h>

#include "cuda/cuda_provider.h"

/// The entry point of the module; null for a program of another version. The caller owns the provider: C
/// linkage leaves no other way to say so.
extern "C" __attribute__((visibility("default"))) opscope::DeviceProvider* opscope_create_provider(
    int moduleVersion) {
  if (moduleVersion != opscope::kModuleVersion) return nullptr;
  try {
    return new opscope::cuda::CudaProvider;
  } catch (...) {
    return nullptr;
  }
}

/// device/profile_marks.h. Without a profiler around this process CUDA does nothing, and there is nothing to
/// say of it.
extern "C" __attribute__((visibility("default"))) void opscope_mark_profile(bool begins) {
  if (begins) {
    static_cast<void>(cudaProfilerStart());
  } else {
    static_cast<void>(cudaProfilerStop());
  }
}
