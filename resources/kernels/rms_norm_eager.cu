// SPDX-License-Identifier: Apache-2.0
// The operators of rms_norm as an eager framework launches them, each with its result in memory.
#include "opscope.cuh"

namespace {

// Four elements per thread, a block apart, so that the accesses of a warp stay side by side.
template <typename Element>
__device__ __forceinline__ void forEach(long long elements, Element element) {
  const long long first = blockIdx.x * 4ll * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const long long at = first + i * static_cast<long long>(blockDim.x);
    if (at < elements) element(at);
  }
}

__device__ __forceinline__ long long quotientOf(long long index, long long n) {
  if (index <= 0xffffffffll && n <= 0xffffffffll)
    return static_cast<unsigned>(index) / static_cast<unsigned>(n);
  return index / n;
}

}  // namespace

extern "C" __global__ void to_float(const scalar_t* __restrict__ x, float* __restrict__ wide, long long rows,
                                    long long n) {
  forEach(rows * n, [&](long long i) { wide[i] = toFloat(x[i]); });
}

extern "C" __global__ void square(const float* __restrict__ wide, float* __restrict__ squares, long long rows,
                                  long long n) {
  forEach(rows * n, [&](long long i) { squares[i] = wide[i] * wide[i]; });
}

extern "C" __global__ void mean_rows(const float* __restrict__ squares, float* __restrict__ sums,
                                     long long n) {
  const float* row = squares + blockIdx.x * n;
  float sum = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += row[i];
  sum = blockSum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum / n;
}

extern "C" __global__ void add_eps(float* sums, long long rows, double eps) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < rows) sums[i] += static_cast<float>(eps);
}

extern "C" __global__ void reciprocal_root(float* sums, long long rows) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < rows) sums[i] = rsqrtf(sums[i]);
}

extern "C" __global__ void scale_rows(const float* __restrict__ wide, const float* __restrict__ sums,
                                      float* __restrict__ scaled, long long rows, long long n) {
  forEach(rows * n, [&](long long i) { scaled[i] = wide[i] * sums[quotientOf(i, n)]; });
}

extern "C" __global__ void from_float(const float* __restrict__ scaled, scalar_t* __restrict__ narrow,
                                      long long rows, long long n) {
  forEach(rows * n, [&](long long i) { fromFloat(scaled[i], narrow[i]); });
}

extern "C" __global__ void times_weight(const scalar_t* __restrict__ narrow,
                                        const scalar_t* __restrict__ weight, scalar_t* __restrict__ y,
                                        long long rows, long long n) {
  forEach(rows * n, [&](long long i) {
    const long long column = i - quotientOf(i, n) * n;
    fromFloat(toFloat(narrow[i]) * toFloat(weight[column]), y[i]);
  });
}
