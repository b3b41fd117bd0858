// SPDX-License-Identifier: Apache-2.0
// y[row] = exp(x[row] - max) / sum, or its logarithm: x[row] - max - log(sum).
#include "copies.cuh"

namespace {

constexpr float kLog2E = 1.4426950408889634f;

// e^(value - largest) in two instructions; `base` is largest times log2(e).
__device__ __forceinline__ float exponential(float value, float base) {
  return powerOfTwo(fmaf(value, kLog2E, -base));
}

template <bool logarithm>
struct Finish {
  float largest, base, factor;  // factor: 1 / sum, or log(sum)
  __device__ __forceinline__ Finish(float most, float sum)
      : largest(most), base(most * kLog2E), factor(logarithm ? logf(sum) : 1.0f / sum) {}
  __device__ __forceinline__ float operator()(float value) const {
    return logarithm ? value - largest - factor : exponential(value, base) * factor;
  }
};

// The largest value so far, and the sum of exponentials relative to it.
struct Running {
  float largest, sum;
};

__device__ __forceinline__ Running merged(Running a, Running b) {
  if (a.largest == b.largest) return {a.largest, a.sum + b.sum};  // both may be minus infinity
  if (a.largest < b.largest) return {b.largest, b.sum + a.sum * __expf(a.largest - b.largest)};
  return {a.largest, a.sum + b.sum * __expf(b.largest - a.largest)};
}

}  // namespace

template <bool logarithm, int held, int threads>
__global__ void __launch_bounds__(threads, 1024 / threads)
    softmax(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n) {
  Row<held> row(x + blockIdx.x * n, n);
  float largest = -infinity(), sum = 0;
  row.eachValue([&](float value) { largest = fmaxf(largest, value); });
  largest = blockMax(largest);
  const float base = largest * kLog2E;
  row.eachValue([&](float value) { sum += exponential(value, base); });
  const Finish<logarithm> finish(largest, blockSum(sum));
  row.eachVector([&](Vector& v, int column) {
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i) fromFloat(finish(toFloat(v.at[i])), v.at[i]);
    storeVector(y + blockIdx.x * n + column, v);
  });
}

extern __shared__ uint4 next_row[];

// Blocks that stay, each with the rows that are a grid apart: the next one comes to shared memory while this
// one, in registers, is added up and written. A row of 128 KB needs a whole multiprocessor, which without
// that loads or stores, never both.
template <bool logarithm, int held, int threads>
__global__ void __launch_bounds__(threads, 1024 / threads)
    softmax_ahead(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long rows, long long n) {
  const RowAhead<held> ahead(next_row, n);
  ahead.ask(x + blockIdx.x * n);
  commitCopies();
  for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
    waitForCopies<0>();
    Row<held> row(n);
#pragma unroll
    for (int h = 0; h < held; ++h)
      if (row.inside(h)) row.set(h, ahead.take(h));
    float largest = -infinity(), sum = 0;
    row.eachValue([&](float value) { largest = fmaxf(largest, value); });
    largest = blockMax(largest);
    if (r + gridDim.x < rows) ahead.ask(x + (r + gridDim.x) * n);
    commitCopies();
    const float base = largest * kLog2E;
    row.eachValue([&](float value) { sum += exponential(value, base); });
    const Finish<logarithm> finish(largest, blockSum(sum));
    row.eachVector([&](Vector& v, int column) {
#pragma unroll
      for (int i = 0; i < kVectorWidth; ++i) fromFloat(finish(toFloat(v.at[i])), v.at[i]);
      storeVector(y + r * n + column, v);
    });
  }
}

// Rows of any length and alignment, read three times.
template <bool logarithm>
__global__ void softmax_any(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n) {
  const scalar_t* row = x + blockIdx.x * n;
  float largest = -infinity(), sum = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) largest = fmaxf(largest, toFloat(row[i]));
  largest = blockMax(largest);
  for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(toFloat(row[i]) - largest);
  const Finish<logarithm> finish(largest, blockSum(sum));
  for (long long i = threadIdx.x; i < n; i += blockDim.x)
    fromFloat(finish(toFloat(row[i])), y[blockIdx.x * n + i]);
}

// A few long rows, each in parts that have a block of their own. Part p of row r is block (p, r).
extern "C" __global__ void __launch_bounds__(256)
    softmax_parts(const scalar_t* __restrict__ x, float* __restrict__ partial, long long n,
                  long long part_elements) {
  const long long from = blockIdx.x * part_elements, to = min(n, from + part_elements);
  const scalar_t* row = x + blockIdx.y * n;
  const bool aligned = n % kVectorWidth == 0;
  float largest = -infinity(), sum = 0;
  eachInRange(row, from, to, aligned, [&](float value, int) { largest = fmaxf(largest, value); });
  largest = blockMax(largest);
  const float base = largest * kLog2E;
  eachInRange(row, from, to, aligned, [&](float value, int) { sum += exponential(value, base); });
  sum = blockSum(sum);
  if (threadIdx.x > 0) return;
  float* to_partial = partial + 2 * (blockIdx.y * static_cast<long long>(gridDim.x) + blockIdx.x);
  to_partial[0] = largest;
  to_partial[1] = sum;
}

template <bool logarithm>
__global__ void __launch_bounds__(256)
    softmax_of_parts(const scalar_t* __restrict__ x, const float* __restrict__ partial,
                     scalar_t* __restrict__ y, long long n, long long part_elements) {
  const float* parts = partial + 2 * (blockIdx.y * static_cast<long long>(gridDim.x));
  Running all{-infinity(), 0};
  for (int p = threadIdx.x % 32; p < gridDim.x; p += 32) all = merged(all, {parts[2 * p], parts[2 * p + 1]});
  for (int step = 16; step > 0; step /= 2)
    all = merged(
        all, {__shfl_xor_sync(0xffffffffu, all.largest, step), __shfl_xor_sync(0xffffffffu, all.sum, step)});
  const Finish<logarithm> finish(all.largest, all.sum);
  const long long from = blockIdx.x * part_elements, to = min(n, from + part_elements);
  const scalar_t* row = x + blockIdx.y * n;
  if (n % kVectorWidth == 0) {
    for (long long i = from + threadIdx.x * kVectorWidth; i < to; i += blockDim.x * kVectorWidth) {
      Vector v = loadVector(row + i);
#pragma unroll
      for (int j = 0; j < kVectorWidth; ++j) fromFloat(finish(toFloat(v.at[j])), v.at[j]);
      storeVector(y + blockIdx.y * n + i, v);
    }
    return;
  }
  for (long long i = from + threadIdx.x; i < to; i += blockDim.x)
    fromFloat(finish(toFloat(row[i])), y[blockIdx.y * n + i]);
}
