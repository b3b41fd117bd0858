// SPDX-License-Identifier: Apache-2.0
// y[t] = table[ids[t]]: rows of n elements, gathered.
#include "opscope.cuh"

// A warp takes a row, in vectors.
extern "C" __global__ void __launch_bounds__(256)
    gather_rows(const scalar_t* __restrict__ table, const long long* __restrict__ ids,
                scalar_t* __restrict__ y, long long rows, long long n) {
  constexpr int kEach = 4;
  const long long row = blockIdx.x * 8ll + threadIdx.x / 32;
  if (row >= rows) return;
  const scalar_t* from = table + ids[row] * n;
  const int vectors = static_cast<int>(n / kVectorWidth);
  for (int first = threadIdx.x % 32; first < vectors; first += 32 * kEach) {
    Vector held[kEach];
#pragma unroll
    for (int h = 0; h < kEach; ++h)
      if (first + 32 * h < vectors) held[h] = loadVector(from + (first + 32 * h) * kVectorWidth);
#pragma unroll
    for (int h = 0; h < kEach; ++h)
      if (first + 32 * h < vectors) storeVector(y + row * n + (first + 32 * h) * kVectorWidth, held[h]);
  }
}

extern "C" __global__ void __launch_bounds__(256)
    gather_scalar(const scalar_t* __restrict__ table, const long long* __restrict__ ids,
                  scalar_t* __restrict__ y, long long rows, long long n) {
  const long long i = globalThread();
  if (i >= rows * n) return;
  const long long row = quotientOf(i, n);
  y[i] = table[ids[row] * n + i - row * n];
}
