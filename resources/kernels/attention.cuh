// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the attention kernels for heads of 128 share; tensors are [batch, sequence, heads, 128].
#include "mma.cuh"

constexpr int kWidth = 128;       // of a head
constexpr int kKeys = 64;         // of a step
constexpr int kRow = kWidth + 8;  // rows of an 8 x 8 matrix lie in different banks
constexpr int kTileElements = kKeys * kRow;
constexpr float kScale = 0.08838834764831845f * 1.4426950408889634f;  // 1 / sqrt(128), for powers of two

// 64 rows of a head by 128 threads, from row `first` on; zeros beyond `rows`.
__device__ __forceinline__ void loadTile(scalar_t* to, const scalar_t* from, long long first, long long rows,
                                         long long stride) {
#pragma unroll
  for (int h = 0; h < 8; ++h) {
    const int i = threadIdx.x + h * 128;
    const int row = i / 16, chunk = i % 16 * 8;
    const bool inside = first + row < rows;
    copyAsync(to + row * kRow + chunk, inside ? from + (first + row) * stride + chunk : from, inside);
  }
}

__device__ __forceinline__ float quadMax(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xffffffffu, value, 2));
}

__device__ __forceinline__ float quadSum(float value) {
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  return value + __shfl_xor_sync(0xffffffffu, value, 2);
}
