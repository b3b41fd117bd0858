// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_fp8.h>
#include "opscope.cuh"

// What rows are quantised to.
struct Int8 {
  using Type = signed char;
  static constexpr float kLargest = 127;
  static __device__ Type from(float value) { return static_cast<Type>(__float2int_rn(value)); }
};

struct Fp8 {
  using Type = __nv_fp8_storage_t;
  static constexpr float kLargest = 448;
  static __device__ Type from(float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3); }
};
