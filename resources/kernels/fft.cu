// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform of rows of n complex numbers, n a power of two: y[j] = sum of x[i] e^(-2 pi
// i j / n).
#include "opscope.cuh"

namespace {

__device__ __forceinline__ float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

}  // namespace

// One block per row, which stays in shared memory: Stockham's form, which sorts itself, two points at a time.
// The turns e^(-2 pi i k / n) are computed once, beside the row.
extern "C" __global__ void __launch_bounds__(512)
    fft_shared(const float2* __restrict__ x, float2* __restrict__ y, long long points) {
  extern __shared__ float2 buffers[];
  const int n = static_cast<int>(points), half = n / 2;
  float2 *from = buffers, *to = buffers + n, *turns = buffers + 2 * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) from[i] = x[blockIdx.x * points + i];
  for (int k = threadIdx.x; k < half; k += blockDim.x) {
    float sine, cosine;
    sincospif(-static_cast<float>(k) / static_cast<float>(half), &sine, &cosine);
    turns[k] = make_float2(cosine, sine);
  }
  // Before a stage there are n / length transforms of `length` points each.
  for (int length = 1, step = half; length < n; length *= 2, step /= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < half; i += blockDim.x) {
      const int k = i & (length - 1), place = 2 * i - k;
      const float2 a = from[i], b = times(from[i + half], turns[k * step]);
      to[place] = make_float2(a.x + b.x, a.y + b.y);
      to[place + length] = make_float2(a.x - b.x, a.y - b.y);
    }
    float2* swap = from;
    from = to;
    to = swap;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * points + i] = from[i];
}
