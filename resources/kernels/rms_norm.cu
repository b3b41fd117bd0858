// SPDX-License-Identifier: Apache-2.0
// y[row] = x[row] / sqrt(mean(x[row]^2) + eps) * weight, one block per row.
#include "opscope.cuh"

namespace {

// How many vectors of a row a thread keeps in registers. The block is sized for two; only rows of more than
// 2048 vectors have more: those beyond kHeld are read again, from L2. Four of 16-bit elements would spill.
constexpr int kHeld = sizeof(scalar_t) == 4 ? 4 : 2;

__device__ __forceinline__ float squaresOf(const Vector& v) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kVectorWidth; ++i) {
    const float value = toFloat(v.at[i]);
    sum += value * value;
  }
  return sum;
}

__device__ __forceinline__ Vector scaled(const Vector& v, float scale, const Vector& weight) {
  Vector result;
#pragma unroll
  for (int i = 0; i < kVectorWidth; ++i)
    fromFloat(toFloat(v.at[i]) * scale * toFloat(weight.at[i]), result.at[i]);
  return result;
}

// Rows whose length is no multiple of the vector width begin at addresses that vectors cannot be loaded from.
__device__ void normaliseUnaligned(const scalar_t* x, const scalar_t* weight, scalar_t* y, int n, float eps) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float value = toFloat(x[i]);
    sum += value * value;
  }
  const float scale = rsqrtf(blockSum(sum) / n + eps);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    fromFloat(toFloat(x[i]) * scale * toFloat(weight[i]), y[i]);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(1024)
    rms_norm_one_pass(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                      scalar_t* __restrict__ y, long long columns, double epsilon) {
  const int n = static_cast<int>(columns);
  const float eps = static_cast<float>(epsilon);
  const long long offset = static_cast<long long>(blockIdx.x) * n;
  x += offset;
  y += offset;
  if (n % kVectorWidth != 0) return normaliseUnaligned(x, weight, y, n, eps);

  const int vectors = n / kVectorWidth;
  Vector held[kHeld], weights[kHeld];
  float sum = 0;
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int v = threadIdx.x + h * blockDim.x;
    if (v < vectors) held[h] = loadVector(x + v * kVectorWidth);
  }
  // Asked for before the sum is waited for: with a single row there is no other block to hide the latency.
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int v = threadIdx.x + h * blockDim.x;
    if (v < vectors) weights[h] = loadVector(weight + v * kVectorWidth);
  }
#pragma unroll
  for (int h = 0; h < kHeld; ++h)
    if (threadIdx.x + h * blockDim.x < vectors) sum += squaresOf(held[h]);
  for (int v = threadIdx.x + kHeld * blockDim.x; v < vectors; v += blockDim.x)
    sum += squaresOf(loadVector(x + v * kVectorWidth));

  const float scale = rsqrtf(blockSum(sum) / n + eps);
#pragma unroll
  for (int h = 0; h < kHeld; ++h) {
    const int v = threadIdx.x + h * blockDim.x;
    if (v < vectors) storeVector(y + v * kVectorWidth, scaled(held[h], scale, weights[h]));
  }
  for (int v = threadIdx.x + kHeld * blockDim.x; v < vectors; v += blockDim.x)
    storeVector(y + v * kVectorWidth,
                scaled(loadVector(x + v * kVectorWidth), scale, loadVector(weight + v * kVectorWidth)));
}
