// SPDX-License-Identifier: Apache-2.0
// y[row, i] = x[row, 0] + ... + x[row, i], sums in fp32.
#include "opscope.cuh"

namespace {

// The sum of `value` over the threads before this one; `total` becomes the sum over all of the block.
__device__ __forceinline__ float before(float value, float& total) {
  __shared__ float sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float through = value;
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(0xffffffffu, through, step);
    if (lane >= step) through += other;
  }
  __syncthreads();  // the sums of the chunk before this one have been read
  if (lane == 31) sums[warp] = through;
  __syncthreads();
  float warpSum = lane < warps ? sums[lane] : 0;
  for (int step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(0xffffffffu, warpSum, step);
    if (lane >= step) warpSum += other;
  }
  total = __shfl_sync(0xffffffffu, warpSum, 31);
  const float warpsBefore = __shfl_sync(0xffffffffu, warpSum, warp > 0 ? warp - 1 : 0);
  return through - value + (warp > 0 ? warpsBefore : 0.0f);
}

// Elements from `from` to `to`, a vector per thread and chunk, beginning with the sum `carry`.
__device__ __forceinline__ void scanRange(const scalar_t* x, scalar_t* y, long long from, long long to,
                                          bool aligned, float carry) {
  const int width = aligned ? kVectorWidth : 1;
  for (long long chunk = from; chunk < to; chunk += static_cast<long long>(blockDim.x) * width) {
    const long long first = chunk + static_cast<long long>(threadIdx.x) * width;
    float values[kVectorWidth] = {};
    if (first < to) {
      if (aligned) {
        const Vector v = loadVector(x + first);
#pragma unroll
        for (int i = 0; i < kVectorWidth; ++i) values[i] = toFloat(v.at[i]);
      } else {
        values[0] = toFloat(x[first]);
      }
    }
#pragma unroll
    for (int i = 1; i < kVectorWidth; ++i) values[i] += values[i - 1];
    float total;
    const float start = carry + before(values[kVectorWidth - 1], total);
    carry += total;
    if (first >= to) continue;
    if (aligned) {
      Vector v;
#pragma unroll
      for (int i = 0; i < kVectorWidth; ++i) fromFloat(start + values[i], v.at[i]);
      storeVector(y + first, v);
    } else {
      fromFloat(start + values[0], y[first]);
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(1024)
    cumsum_row(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n) {
  scanRange(x + blockIdx.x * n, y + blockIdx.x * n, 0, n, n % kVectorWidth == 0, 0);
}

// Long rows: the sums of all parts first, then each part begins with those before it. Part p of row r is
// block (p, r).
extern "C" __global__ void __launch_bounds__(256)
    cumsum_part_sums(const scalar_t* __restrict__ x, float* __restrict__ sums, long long n,
                     long long part_elements) {
  const long long from = blockIdx.x * part_elements, to = min(n, from + part_elements);
  float sum = 0;
#pragma unroll 8
  for (long long i = from + threadIdx.x; i < to; i += blockDim.x) sum += toFloat(x[blockIdx.y * n + i]);
  sum = blockSum(sum);
  if (threadIdx.x == 0) sums[blockIdx.y * static_cast<long long>(gridDim.x) + blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    cumsum_part(const scalar_t* __restrict__ x, const float* __restrict__ sums, scalar_t* __restrict__ y,
                long long n, long long part_elements) {
  const float* parts = sums + blockIdx.y * static_cast<long long>(gridDim.x);
  float carry = 0;
  for (int p = threadIdx.x; p < blockIdx.x; p += blockDim.x) carry += parts[p];
  carry = blockSum(carry);
  const long long from = blockIdx.x * part_elements, to = min(n, from + part_elements);
  scanRange(x + blockIdx.y * n, y + blockIdx.y * n, from, to, n % kVectorWidth == 0, carry);
}
