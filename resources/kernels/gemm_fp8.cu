// SPDX-License-Identifier: Apache-2.0
// c = scale_a scale_b a b' of fp8 matrices on GPUs without fp8 tensor cores: both become bfloat16 first,
// whose significand holds every fp8 number.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

// The elements that are multiplied, whatever the op's dtype.
#undef OPSCOPE_DTYPE_FLOAT8_E4M3
#define OPSCOPE_DTYPE_BFLOAT16
#include "gemm_tile.cuh"

extern __shared__ uint4 stages[];

extern "C" __global__ void __launch_bounds__(256)
    from_fp8(const __nv_fp8_e4m3* __restrict__ x, scalar_t* __restrict__ wide, long long rows, long long n) {
  constexpr int kEach = 16;
  const long long first = globalThread() * kEach, elements = rows * n;
  if (first >= elements) return;
  if (first + kEach > elements) {
    for (long long i = first; i < elements; ++i) fromFloat(static_cast<float>(x[i]), wide[i]);
    return;
  }
  struct alignas(16) {
    __nv_fp8_e4m3 at[kEach];
  } from;
  *reinterpret_cast<uint4*>(&from) = __ldg(reinterpret_cast<const uint4*>(x + first));
  Vector to[2];
#pragma unroll
  for (int i = 0; i < kEach; ++i) fromFloat(static_cast<float>(from.at[i]), to[i / 8].at[i % 8]);
  storeVector(wide + first, to[0]);
  storeVector(wide + first + 8, to[1]);
}

extern "C" __global__ void __launch_bounds__(128, 2)
    gemm_scaled(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b,
                const float* __restrict__ scale_a, const float* __restrict__ scale_b,
                scalar_t* __restrict__ c, long long m, long long n, long long k) {
  const long long row = static_cast<long long>(blockIdx.y) * kTile;
  const long long column = static_cast<long long>(blockIdx.x) * kTile;
  const TileSums sums = gemmTile<true>(a, k, b, k, m, n, k, row, column, reinterpret_cast<scalar_t*>(stages));
  storeTile(sums, c, n, m, n, row, column, *scale_a * *scale_b);
}
