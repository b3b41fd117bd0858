// SPDX-License-Identifier: Apache-2.0
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
