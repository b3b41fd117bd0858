// SPDX-License-Identifier: Apache-2.0
// y[outer, channels, inner] = x + other, where other has the shape of x or, with broadcast, one value per
// channel.
#include "opscope.cuh"

// Dividing 64-bit integers costs several times what dividing 32-bit ones does.
__device__ __forceinline__ long long channelOf(long long index, long long channels, long long inner) {
  if (index <= 0xffffffffll && inner <= 0xffffffffll && channels <= 0xffffffffll)
    return static_cast<unsigned>(index) / static_cast<unsigned>(inner) % static_cast<unsigned>(channels);
  return index / inner % channels;
}

extern "C" __global__ void __launch_bounds__(256)
    add_vectorised(const scalar_t* __restrict__ x, const scalar_t* __restrict__ other,
                   scalar_t* __restrict__ y, long long outer, long long channels, long long inner,
                   long long broadcast) {
  const long long elements = outer * channels * inner;
  const long long first = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) * kVectorWidth;
  if (first >= elements) return;
  if (first + kVectorWidth > elements) {  // the tail
    for (long long i = first; i < elements; ++i) {
      const long long j = broadcast ? channelOf(i, channels, inner) : i;
      fromFloat(toFloat(x[i]) + toFloat(other[j]), y[i]);
    }
    return;
  }
  const Vector a = loadVector(x + first);
  Vector sum;
  if (!broadcast) {
    const Vector b = loadVector(other + first);
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i) fromFloat(toFloat(a.at[i]) + toFloat(b.at[i]), sum.at[i]);
  } else if (inner % kVectorWidth == 0) {
    const float b = toFloat(other[channelOf(first, channels, inner)]);
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i) fromFloat(toFloat(a.at[i]) + b, sum.at[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i)
      fromFloat(toFloat(a.at[i]) + toFloat(other[channelOf(first + i, channels, inner)]), sum.at[i]);
  }
  storeVector(y + first, sum);
}

extern "C" __global__ void __launch_bounds__(256)
    add_scalar(const scalar_t* __restrict__ x, const scalar_t* __restrict__ other, scalar_t* __restrict__ y,
               long long outer, long long channels, long long inner, long long broadcast) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= outer * channels * inner) return;
  const long long j = broadcast ? channelOf(i, channels, inner) : i;
  fromFloat(toFloat(x[i]) + toFloat(other[j]), y[i]);
}
