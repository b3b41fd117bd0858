// SPDX-License-Identifier: Apache-2.0
// A row divided by its scale, in 8 bits: q = x / scale, scale = max|x| / (the largest 8-bit value).
#include "eight_bits.cuh"

namespace {

// A row of zeros has the scale 0 and becomes zeros.
__device__ __forceinline__ float inverse(float largest, float most) {
  return largest > 0 ? most / largest : 0.0f;
}

template <typename Target>
__device__ __forceinline__ void storeQuantized(const Vector& v, float factor, typename Target::Type* to) {
  struct alignas(kVectorWidth) Packed {
    typename Target::Type at[kVectorWidth];
  } packed;
#pragma unroll
  for (int i = 0; i < kVectorWidth; ++i) packed.at[i] = Target::from(toFloat(v.at[i]) * factor);
  *reinterpret_cast<Packed*>(to) = packed;
}

}  // namespace

template <typename Target, int held, int threads>
__global__ void __launch_bounds__(threads, 1024 / threads)
    quantize(const scalar_t* __restrict__ x, typename Target::Type* __restrict__ q, float* __restrict__ scale,
             long long n) {
  Row<held> row(x + blockIdx.x * n, n);
  float largest = 0;
  row.eachValue([&](float value) { largest = fmaxf(largest, fabsf(value)); });
  largest = blockMax(largest);
  const float factor = inverse(largest, Target::kLargest);
  row.eachVector(
      [&](const Vector& v, int column) { storeQuantized<Target>(v, factor, q + blockIdx.x * n + column); });
  if (threadIdx.x == 0) scale[blockIdx.x] = largest / Target::kLargest;
}

// Short rows of `lanes` vectors, a power of two up to 32: a lane holds one vector, and a block takes as many
// rows as its lanes do.
template <typename Target>
__global__ void __launch_bounds__(256)
    quantize_short(const scalar_t* __restrict__ x, typename Target::Type* __restrict__ q,
                   float* __restrict__ scale, long long rows, long long n) {
  const int lanes = static_cast<int>(n / kVectorWidth);
  const long long vector = globalThread();
  const long long row = vector / lanes;
  const bool inside = row < rows;
  Vector v{};
  float largest = 0;
  if (inside) v = loadVector(x + vector * kVectorWidth);
#pragma unroll
  for (int i = 0; i < kVectorWidth; ++i) largest = fmaxf(largest, fabsf(toFloat(v.at[i])));
  for (int step = lanes / 2; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  if (!inside) return;
  storeQuantized<Target>(v, inverse(largest, Target::kLargest), q + vector * kVectorWidth);
  if (vector % lanes == 0) scale[row] = largest / Target::kLargest;
}

// Rows of any length and alignment.
template <typename Target>
__global__ void quantize_any(const scalar_t* __restrict__ x, typename Target::Type* __restrict__ q,
                             float* __restrict__ scale, long long n) {
  float largest = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x)
    largest = fmaxf(largest, fabsf(toFloat(x[blockIdx.x * n + i])));
  largest = blockMax(largest);
  const float factor = inverse(largest, Target::kLargest);
  for (long long i = threadIdx.x; i < n; i += blockDim.x)
    q[blockIdx.x * n + i] = Target::from(toFloat(x[blockIdx.x * n + i]) * factor);
  if (threadIdx.x == 0) scale[blockIdx.x] = largest / Target::kLargest;
}
