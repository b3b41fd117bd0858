// SPDX-License-Identifier: Apache-2.0
// y[row] = x[row] / sqrt(mean(x[row]^2) + eps) * weight, one block per row. With a residual the row is first
// added to it, and the sum is kept.
#include "copies.cuh"

namespace {

__device__ __forceinline__ float scaleOf(float squares, long long n, double eps) {
  return rsqrtf(blockSum(squares) / n + static_cast<float>(eps));
}

__device__ __forceinline__ Vector weighted(const Vector& v, float scale, const Vector& weight) {
  Vector result;
#pragma unroll
  for (int i = 0; i < kVectorWidth; ++i)
    fromFloat(toFloat(v.at[i]) * scale * toFloat(weight.at[i]), result.at[i]);
  return result;
}

}  // namespace

template <int held, int threads>
__global__ void __launch_bounds__(threads, 1024 / threads)
    rms_norm(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight, scalar_t* __restrict__ y,
             long long n, double eps) {
  Row<held> row(x + blockIdx.x * n, n);
  float squares = 0;
  row.eachValue([&](float value) { squares += value * value; });
  const float scale = scaleOf(squares, n, eps);
  row.eachVector([&](const Vector& v, int column) {
    storeVector(y + blockIdx.x * n + column, weighted(v, scale, loadVector(weight + column)));
  });
}

// A single row has no other block to hide latencies: the weights are asked for before the sum is waited for.
template <int held, int threads>
__global__ void __launch_bounds__(threads)
    rms_norm_few(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                 scalar_t* __restrict__ y, long long n, double eps) {
  Row<held> row(x + blockIdx.x * n, n);
  Row<held> weights(weight, n);
  float squares = 0;
  row.eachValue([&](float value) { squares += value * value; });
  const float scale = scaleOf(squares, n, eps);
#pragma unroll
  for (int h = 0; h < held; ++h)
    if (row.inside(h))
      storeVector(y + blockIdx.x * n + row.place(h) * kVectorWidth,
                  weighted(row.at(h), scale, weights.at(h)));
}

// Rows of any length and alignment.
extern "C" __global__ void rms_norm_any(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                                        scalar_t* __restrict__ y, long long n, double eps) {
  const scalar_t* row = x + blockIdx.x * n;
  float squares = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) squares += toFloat(row[i]) * toFloat(row[i]);
  const float scale = scaleOf(squares, n, eps);
  for (long long i = threadIdx.x; i < n; i += blockDim.x)
    fromFloat(toFloat(row[i]) * scale * toFloat(weight[i]), y[blockIdx.x * n + i]);
}

template <int held, int threads>
__global__ void __launch_bounds__(threads)
    add_rms_norm(const scalar_t* __restrict__ x, const scalar_t* __restrict__ residual,
                 const scalar_t* __restrict__ weight, scalar_t* __restrict__ y, scalar_t* __restrict__ sum,
                 long long n, double eps) {
  const long long first = blockIdx.x * n;
  Row<held> row(x + first, n);
  Row<held> other(residual + first, n);
  float squares = 0;
#pragma unroll
  for (int h = 0; h < held; ++h) {
    if (!row.inside(h)) continue;
    Vector added = row.at(h);
    const Vector with = other.at(h);
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i) {
      fromFloat(toFloat(added.at[i]) + toFloat(with.at[i]), added.at[i]);
      squares += toFloat(added.at[i]) * toFloat(added.at[i]);
    }
    row.set(h, added);
    storeVector(sum + first + row.place(h) * kVectorWidth, added);
  }
  const float scale = scaleOf(squares, n, eps);
  row.eachVector([&](const Vector& v, int column) {
    storeVector(y + first + column, weighted(v, scale, loadVector(weight + column)));
  });
}

extern __shared__ uint4 next_rows[];

// Blocks that stay, each with the rows that are a grid apart: the next ones come to shared memory while the
// sum of these, in registers, is normalised and written. Few rows of fp32 fit onto a multiprocessor at one
// time, and without that it loads or stores, never both. The weights are read once.
template <int held, int threads>
__global__ void __launch_bounds__(threads, 1024 / threads)
    add_rms_norm_ahead(const scalar_t* __restrict__ x, const scalar_t* __restrict__ residual,
                       const scalar_t* __restrict__ weight, scalar_t* __restrict__ y,
                       scalar_t* __restrict__ sum, long long rows, long long n, double eps) {
  const RowAhead<held> left(next_rows, n), right(next_rows + n / kVectorWidth, n);
  left.ask(x + blockIdx.x * n);
  right.ask(residual + blockIdx.x * n);
  commitCopies();
  Row<held> weights(weight, n);
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    waitForCopies<0>();
    Row<held> row(n);
    float squares = 0;
#pragma unroll
    for (int h = 0; h < held; ++h) {
      if (!row.inside(h)) continue;
      Vector added = left.take(h);
      const Vector with = right.take(h);
#pragma unroll
      for (int i = 0; i < kVectorWidth; ++i) {
        fromFloat(toFloat(added.at[i]) + toFloat(with.at[i]), added.at[i]);
        squares += toFloat(added.at[i]) * toFloat(added.at[i]);
      }
      row.set(h, added);
    }
    if (r + gridDim.x < rows) {
      left.ask(x + (r + gridDim.x) * n);
      right.ask(residual + (r + gridDim.x) * n);
    }
    commitCopies();
    row.eachVector([&](const Vector& v, int column) { storeVector(sum + r * n + column, v); });
    const float scale = scaleOf(squares, n, eps);
#pragma unroll
    for (int h = 0; h < held; ++h)
      if (row.inside(h))
        storeVector(y + r * n + row.place(h) * kVectorWidth, weighted(row.at(h), scale, weights.at(h)));
    __syncthreads();  // before the next row's sums replace this one's
  }
}

extern "C" __global__ void add_rms_norm_any(const scalar_t* __restrict__ x,
                                            const scalar_t* __restrict__ residual,
                                            const scalar_t* __restrict__ weight, scalar_t* __restrict__ y,
                                            scalar_t* __restrict__ sum, long long n, double eps) {
  const long long first = blockIdx.x * n;
  float squares = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) {
    fromFloat(toFloat(x[first + i]) + toFloat(residual[first + i]), sum[first + i]);
    const float value = toFloat(sum[first + i]);
    squares += value * value;
  }
  const float scale = scaleOf(squares, n, eps);
  for (long long i = threadIdx.x; i < n; i += blockDim.x)
    fromFloat(toFloat(sum[first + i]) * scale * toFloat(weight[i]), y[first + i]);
}
