// SPDX-License-Identifier: Apache-2.0
// y[row] = (x[row] - mean) / sqrt(variance + eps) * weight + bias, one block per row. The sums are of
// differences from the row's first value, so that a mean that is large beside the deviation cancels nothing.
#include "opscope.cuh"

namespace {

struct Moments {
  float sum, squares;
};

// Both sums with one wait for the other warps.
__device__ __forceinline__ Moments blockMoments(Moments m) {
  __shared__ Moments partial[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const auto mergeWarp = [&] {
    for (int step = 16; step > 0; step /= 2) {
      m.sum += __shfl_xor_sync(0xffffffffu, m.sum, step);
      m.squares += __shfl_xor_sync(0xffffffffu, m.squares, step);
    }
  };
  mergeWarp();
  if (lane == 0) partial[warp] = m;
  __syncthreads();
  m = lane < warps ? partial[lane] : Moments{0, 0};
  mergeWarp();
  return m;
}

}  // namespace

template <int held, int threads>
__global__ void __launch_bounds__(threads, 1024 / threads)
    layer_norm(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
               const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, long long n, double eps) {
  const float shift = toFloat(x[blockIdx.x * n]);
  Row<held> row(x + blockIdx.x * n, n);
  Moments m{0, 0};
  row.eachValue([&](float value) {
    m.sum += value - shift;
    m.squares += (value - shift) * (value - shift);
  });
  m = blockMoments(m);
  const float difference = m.sum / n, mean = shift + difference;
  const float scale = rsqrtf(fmaxf(m.squares / n - difference * difference, 0.0f) + static_cast<float>(eps));
  row.eachVector([&](const Vector& v, int column) {
    const Vector w = loadVector(weight + column), b = loadVector(bias + column);
    Vector result;
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i)
      fromFloat((toFloat(v.at[i]) - mean) * scale * toFloat(w.at[i]) + toFloat(b.at[i]), result.at[i]);
    storeVector(y + blockIdx.x * n + column, result);
  });
}

// Rows of any length and alignment.
extern "C" __global__ void layer_norm_any(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                          const scalar_t* __restrict__ bias, scalar_t* __restrict__ y,
                                          long long n, double eps) {
  const scalar_t* row = x + blockIdx.x * n;
  float sum = 0, squares = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += toFloat(row[i]);
  const float mean = blockSum<0>(sum) / n;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) {
    const float value = toFloat(row[i]) - mean;
    squares += value * value;
  }
  const float scale = rsqrtf(blockSum<1>(squares) / n + static_cast<float>(eps));
  for (long long i = threadIdx.x; i < n; i += blockDim.x)
    fromFloat((toFloat(row[i]) - mean) * scale * toFloat(weight[i]) + toFloat(bias[i]),
              y[blockIdx.x * n + i]);
}
