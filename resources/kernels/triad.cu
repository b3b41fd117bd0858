// SPDX-License-Identifier: Apache-2.0
// y = x + factor other: three streams of memory, two read and one written.
#include "opscope.cuh"

// Four vectors of each input per thread, all asked for before the first is used.
extern "C" __global__ void __launch_bounds__(256)
    triad_vectors(const scalar_t* __restrict__ x, const scalar_t* __restrict__ other,
                  scalar_t* __restrict__ y, long long n, double factor) {
  constexpr int kEach = 4;
  const float scale = static_cast<float>(factor);
  const long long vectors = n / kVectorWidth;
  const long long first = blockIdx.x * static_cast<long long>(kEach) * blockDim.x + threadIdx.x;
  Vector a[kEach], b[kEach];
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const long long v = first + h * static_cast<long long>(blockDim.x);
    if (v >= vectors) continue;
    a[h] = loadVector(x + v * kVectorWidth);
    b[h] = loadVector(other + v * kVectorWidth);
  }
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const long long v = first + h * static_cast<long long>(blockDim.x);
    if (v >= vectors) continue;
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i)
      fromFloat(toFloat(a[h].at[i]) + scale * toFloat(b[h].at[i]), a[h].at[i]);
    storeVector(y + v * kVectorWidth, a[h]);
  }
  const long long tail = vectors * kVectorWidth + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && tail < n)
    fromFloat(toFloat(x[tail]) + scale * toFloat(other[tail]), y[tail]);
}

extern "C" __global__ void __launch_bounds__(256)
    triad_scalar(const scalar_t* __restrict__ x, const scalar_t* __restrict__ other, scalar_t* __restrict__ y,
                 long long n, double factor) {
  const long long i = globalThread();
  if (i < n) fromFloat(toFloat(x[i]) + static_cast<float>(factor) * toFloat(other[i]), y[i]);
}
