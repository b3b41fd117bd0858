// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kernels here share. The element type of the workload is chosen by the macro OPSCOPE_DTYPE_...;
// integers arrive as long long and real parameters as double. NVRTC has no host headers: only these two.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if defined(OPSCOPE_DTYPE_FLOAT32)
using scalar_t = float;
#elif defined(OPSCOPE_DTYPE_FLOAT16)
using scalar_t = __half;
#elif defined(OPSCOPE_DTYPE_BFLOAT16)
using scalar_t = __nv_bfloat16;
#else
#error "Compile with -DOPSCOPE_DTYPE_FLOAT32, -DOPSCOPE_DTYPE_FLOAT16 or -DOPSCOPE_DTYPE_BFLOAT16"
#endif

__device__ __forceinline__ float toFloat(float value) {
  return value;
}
__device__ __forceinline__ float toFloat(__half value) {
  return __half2float(value);
}
__device__ __forceinline__ float toFloat(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

__device__ __forceinline__ void fromFloat(float value, float& to) {
  to = value;
}
__device__ __forceinline__ void fromFloat(float value, __half& to) {
  to = __float2half_rn(value);
}
__device__ __forceinline__ void fromFloat(float value, __nv_bfloat16& to) {
  to = __float2bfloat16_rn(value);
}

// 16 bytes: the widest load of one thread.
constexpr int kVectorWidth = 16 / sizeof(scalar_t);

struct alignas(16) Vector {
  scalar_t at[kVectorWidth];
};

// Through the read-only path; `from` must be aligned to 16 bytes.
__device__ __forceinline__ Vector loadVector(const scalar_t* from) {
  const uint4 bits = __ldg(reinterpret_cast<const uint4*>(from));
  Vector vector;
  *reinterpret_cast<uint4*>(&vector) = bits;
  return vector;
}

__device__ __forceinline__ void storeVector(scalar_t* to, const Vector& vector) {
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(&vector);
}

// The sum over all threads of a block of whole warps, known to every thread.
__device__ __forceinline__ float blockSum(float value) {
  __shared__ float sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  value = lane < warps ? sums[lane] : 0.0f;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}
