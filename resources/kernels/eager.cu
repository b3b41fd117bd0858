// SPDX-License-Identifier: Apache-2.0
// The operators of an eager framework, each with its result in memory: fused ops are compared with chains of
// these. Tensors are rows of n elements; wide ones are fp32, and one value per row is fp32 too.
#include "opscope.cuh"

namespace {

template <typename Reduce>
__device__ __forceinline__ void reduceRow(const float* __restrict__ wide, float* __restrict__ results,
                                          long long n, Reduce reduce) {
  const float result = reduce(wide + blockIdx.x * n);
  if (threadIdx.x == 0) results[blockIdx.x] = result;
}

}  // namespace

extern "C" __global__ void to_float(const scalar_t* __restrict__ x, float* __restrict__ wide, long long rows,
                                    long long n) {
  forEach(rows * n, [&](long long i) { wide[i] = toFloat(x[i]); });
}

extern "C" __global__ void from_float(const float* __restrict__ wide, scalar_t* __restrict__ narrow,
                                      long long rows, long long n) {
  forEach(rows * n, [&](long long i) { fromFloat(wide[i], narrow[i]); });
}

extern "C" __global__ void add_narrow(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b,
                                      scalar_t* __restrict__ sum, long long rows, long long n) {
  forEach(rows * n, [&](long long i) { fromFloat(toFloat(a[i]) + toFloat(b[i]), sum[i]); });
}

extern "C" __global__ void square(const float* __restrict__ wide, float* __restrict__ squares, long long rows,
                                  long long n) {
  forEach(rows * n, [&](long long i) { squares[i] = wide[i] * wide[i]; });
}

extern "C" __global__ void exponential(const float* __restrict__ wide, float* __restrict__ result,
                                       long long rows, long long n) {
  forEach(rows * n, [&](long long i) { result[i] = expf(wide[i]); });
}

extern "C" __global__ void absolute(const float* __restrict__ wide, float* __restrict__ result,
                                    long long rows, long long n) {
  forEach(rows * n, [&](long long i) { result[i] = fabsf(wide[i]); });
}

extern "C" __global__ void sum_rows(const float* __restrict__ wide, float* __restrict__ sums, long long n) {
  reduceRow(wide, sums, n, [&](const float* row) {
    float sum = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += row[i];
    return blockSum(sum);
  });
}

extern "C" __global__ void mean_rows(const float* __restrict__ wide, float* __restrict__ means, long long n) {
  reduceRow(wide, means, n, [&](const float* row) {
    float sum = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += row[i];
    return blockSum(sum) / n;
  });
}

extern "C" __global__ void max_rows(const float* __restrict__ wide, float* __restrict__ largest,
                                    long long n) {
  reduceRow(wide, largest, n, [&](const float* row) {
    float most = -infinity();
    for (long long i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
    return blockMax(most);
  });
}

// One value per row.
extern "C" __global__ void narrow_rows(const float* __restrict__ values, scalar_t* __restrict__ y,
                                       long long rows) {
  const long long i = globalThread();
  if (i < rows) fromFloat(values[i], y[i]);
}

extern "C" __global__ void add_eps(float* values, long long rows, double eps) {
  const long long i = globalThread();
  if (i < rows) values[i] += static_cast<float>(eps);
}

extern "C" __global__ void reciprocal_root(float* values, long long rows) {
  const long long i = globalThread();
  if (i < rows) values[i] = rsqrtf(values[i]);
}

extern "C" __global__ void square_root(float* values, long long rows) {
  const long long i = globalThread();
  if (i < rows) values[i] = sqrtf(values[i]);
}

extern "C" __global__ void logarithm(float* values, long long rows) {
  const long long i = globalThread();
  if (i < rows) values[i] = logf(values[i]);
}

extern "C" __global__ void over_127(float* values, long long rows) {
  const long long i = globalThread();
  if (i < rows) values[i] /= 127.0f;
}

extern "C" __global__ void over_448(float* values, long long rows) {
  const long long i = globalThread();
  if (i < rows) values[i] /= 448.0f;
}

// A row and its value.
extern "C" __global__ void scale_rows(const float* __restrict__ wide, const float* __restrict__ values,
                                      float* __restrict__ result, long long rows, long long n) {
  forEach(rows * n, [&](long long i) { result[i] = wide[i] * values[quotientOf(i, n)]; });
}

extern "C" __global__ void divide_rows(const float* __restrict__ wide, const float* __restrict__ values,
                                       float* __restrict__ result, long long rows, long long n) {
  forEach(rows * n, [&](long long i) { result[i] = wide[i] / values[quotientOf(i, n)]; });
}

extern "C" __global__ void subtract_rows(const float* __restrict__ wide, const float* __restrict__ values,
                                         float* __restrict__ result, long long rows, long long n) {
  forEach(rows * n, [&](long long i) { result[i] = wide[i] - values[quotientOf(i, n)]; });
}

// A row and the weights of its columns.
extern "C" __global__ void times_weight(const scalar_t* __restrict__ narrow,
                                        const scalar_t* __restrict__ weight, scalar_t* __restrict__ y,
                                        long long rows, long long n) {
  forEach(rows * n, [&](long long i) {
    const long long column = i - quotientOf(i, n) * n;
    fromFloat(toFloat(narrow[i]) * toFloat(weight[column]), y[i]);
  });
}

extern "C" __global__ void plus_bias(const scalar_t* __restrict__ narrow, const scalar_t* __restrict__ bias,
                                     scalar_t* __restrict__ y, long long rows, long long n) {
  forEach(rows * n, [&](long long i) {
    const long long column = i - quotientOf(i, n) * n;
    fromFloat(toFloat(narrow[i]) + toFloat(bias[column]), y[i]);
  });
}
