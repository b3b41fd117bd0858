// SPDX-License-Identifier: Apache-2.0
// y[i] = f(x[i]) and y[i] = f(x[i], other[i]).
#include "opscope.cuh"

struct Relu {
  __device__ static float of(float x) { return fmaxf(x, 0.0f); }
};

struct Exp {
  __device__ static float of(float x) { return __expf(x); }
};

struct Sigmoid {
  __device__ static float of(float x) { return __fdividef(1.0f, 1.0f + __expf(-x)); }
};

struct Silu {
  __device__ static float of(float x) { return x * Sigmoid::of(x); }
};

// x times the normal distribution function. What is above |x| of it is half of erfc(|x| / sqrt(2)), by
// Abramowitz and Stegun 7.1.26, whose error of 1.5e-7 is that of fp32 arithmetic; with q for it x Phi(x) is
// max(x, 0) - |x| q. Sixteen instructions: in 16 bits the op waits for arithmetic otherwise (erff() takes
// three times as many).
struct Gelu {
  __device__ static float of(float x) {
    const float u = fminf(fabsf(x), 1e4f);  // infinity times a q of zero would be no number
    float t;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(t) : "f"(fmaf(u, 0.23164189f, 1.0f)));
    const float poly =
        t *
        (0.127414796f + t * (-0.142248368f + t * (0.7107068705f + t * (-0.7265760135f + t * 0.5307027145f))));
    const float q = poly * powerOfTwo(x * -0.72134752f * x);  // e^(-x^2 / 2)
    return fmaf(-u, q, fmaxf(x, 0.0f));
  }
};

template <typename Function>
__global__ void __launch_bounds__(256)
    map_vectors(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n) {
  mapVectors(x, y, n, [](float value, long long) { return Function::of(value); });
}

template <typename Function>
__global__ void __launch_bounds__(256)
    map_scalar(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n) {
  const long long i = globalThread();
  if (i < n) fromFloat(Function::of(toFloat(x[i])), y[i]);
}

extern "C" __global__ void __launch_bounds__(256)
    clamp_vectors(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n, double low,
                  double high) {
  const float least = static_cast<float>(low), most = static_cast<float>(high);
  mapVectors(x, y, n, [=](float value, long long) { return fminf(fmaxf(value, least), most); });
}

extern "C" __global__ void __launch_bounds__(256)
    clamp_scalar(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n, double low,
                 double high) {
  const long long i = globalThread();
  if (i < n) fromFloat(fminf(fmaxf(toFloat(x[i]), static_cast<float>(low)), static_cast<float>(high)), y[i]);
}

// x[rows, 2 n] holds a gate and what is gated: y[rows, n] = silu(x[:, :n]) * x[:, n:].
extern "C" __global__ void __launch_bounds__(256)
    silu_and_mul_vectors(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long rows,
                         long long n) {
  constexpr int kEach = 2;
  const long long vectors = n / kVectorWidth;
  Vector gate[kEach], value[kEach];
  long long at[kEach];
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    at[h] = blockIdx.x * static_cast<long long>(kEach) * blockDim.x + h * blockDim.x + threadIdx.x;
    if (at[h] >= rows * vectors) continue;
    const long long from = (at[h] + quotientOf(at[h], vectors) * vectors) * kVectorWidth;
    gate[h] = loadVector(x + from);
    value[h] = loadVector(x + from + n);
  }
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    if (at[h] >= rows * vectors) continue;
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i)
      fromFloat(Silu::of(toFloat(gate[h].at[i])) * toFloat(value[h].at[i]), gate[h].at[i]);
    storeVector(y + at[h] * kVectorWidth, gate[h]);
  }
}

extern "C" __global__ void silu_and_mul_scalar(const scalar_t* __restrict__ x, scalar_t* __restrict__ y,
                                               long long rows, long long n) {
  const long long i = globalThread();
  if (i >= rows * n) return;
  const long long from = i + quotientOf(i, n) * n;
  fromFloat(Silu::of(toFloat(x[from])) * toFloat(x[from + n]), y[i]);
}

// The two operators of it, as an eager framework runs them.
extern "C" __global__ void gate_silu(const scalar_t* __restrict__ x, scalar_t* __restrict__ gate,
                                     long long rows, long long n) {
  forEach(rows * n, [&](long long i) { fromFloat(Silu::of(toFloat(x[i + quotientOf(i, n) * n])), gate[i]); });
}

extern "C" __global__ void gate_times(const scalar_t* __restrict__ gate, const scalar_t* __restrict__ x,
                                      scalar_t* __restrict__ y, long long rows, long long n) {
  forEach(rows * n, [&](long long i) {
    fromFloat(toFloat(gate[i]) * toFloat(x[i + (quotientOf(i, n) + 1) * n]), y[i]);
  });
}

extern "C" __global__ void __launch_bounds__(256)
    mul_vectors(const scalar_t* __restrict__ x, const scalar_t* __restrict__ other, scalar_t* __restrict__ y,
                long long n) {
  constexpr int kEach = 2;
  const long long vectors = n / kVectorWidth;
  const long long first = blockIdx.x * static_cast<long long>(kEach) * blockDim.x + threadIdx.x;
  Vector a[kEach], b[kEach];
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const long long v = first + h * blockDim.x;
    if (v >= vectors) continue;
    a[h] = loadVector(x + v * kVectorWidth);
    b[h] = loadVector(other + v * kVectorWidth);
  }
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const long long v = first + h * blockDim.x;
    if (v >= vectors) continue;
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i) fromFloat(toFloat(a[h].at[i]) * toFloat(b[h].at[i]), a[h].at[i]);
    storeVector(y + v * kVectorWidth, a[h]);
  }
  const long long tail = vectors * kVectorWidth + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && tail < n) fromFloat(toFloat(x[tail]) * toFloat(other[tail]), y[tail]);
}

extern "C" __global__ void __launch_bounds__(256)
    mul_scalar(const scalar_t* __restrict__ x, const scalar_t* __restrict__ other, scalar_t* __restrict__ y,
               long long n) {
  const long long i = globalThread();
  if (i < n) fromFloat(toFloat(x[i]) * toFloat(other[i]), y[i]);
}
