// SPDX-License-Identifier: Apache-2.0
// Rotary position encoding, the two halves of a head as real and imaginary parts: with a = x[..., :half] and
// b = x[..., half:], y = (a cos - b sin, b cos + a sin). x is [B, S, H, 2 half], cos and sin are [S, half].
#include "opscope.cuh"

namespace {

struct Place {
  long long first, second, angle;  // the places of a pair in x, and of its angle
};

__device__ __forceinline__ Place placeOf(long long pair, long long sequence, long long heads,
                                         long long half) {
  const long long row = quotientOf(pair, half), column = pair - row * half;
  const long long token = quotientOf(row, heads);
  const long long position = token - quotientOf(token, sequence) * sequence;
  return {2 * row * half + column, (2 * row + 1) * half + column, position * half + column};
}

__device__ __forceinline__ void rotate(float a, float b, float cosine, float sine, scalar_t& first,
                                       scalar_t& second) {
  fromFloat(a * cosine - b * sine, first);
  fromFloat(b * cosine + a * sine, second);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    rope_vectors(const scalar_t* __restrict__ x, const scalar_t* __restrict__ cosines,
                 const scalar_t* __restrict__ sines, scalar_t* __restrict__ y, long long batches,
                 long long sequence, long long heads, long long half) {
  const long long pair = globalThread() * kVectorWidth;
  if (pair >= batches * sequence * heads * half) return;
  const Place place = placeOf(pair, sequence, heads, half);
  Vector a = loadVector(x + place.first), b = loadVector(x + place.second);
  const Vector c = loadVector(cosines + place.angle), s = loadVector(sines + place.angle);
#pragma unroll
  for (int i = 0; i < kVectorWidth; ++i)
    rotate(toFloat(a.at[i]), toFloat(b.at[i]), toFloat(c.at[i]), toFloat(s.at[i]), a.at[i], b.at[i]);
  storeVector(y + place.first, a);
  storeVector(y + place.second, b);
}

extern "C" __global__ void __launch_bounds__(256)
    rope_scalar(const scalar_t* __restrict__ x, const scalar_t* __restrict__ cosines,
                const scalar_t* __restrict__ sines, scalar_t* __restrict__ y, long long batches,
                long long sequence, long long heads, long long half) {
  const long long pair = globalThread();
  if (pair >= batches * sequence * heads * half) return;
  const Place place = placeOf(pair, sequence, heads, half);
  rotate(toFloat(x[place.first]), toFloat(x[place.second]), toFloat(cosines[place.angle]),
         toFloat(sines[place.angle]), y[place.first], y[place.second]);
}

// The operators of it, as written out in an eager framework: x cos + rotated(x) sin.
extern "C" __global__ void times_cosine(const scalar_t* __restrict__ x, const scalar_t* __restrict__ cosines,
                                        scalar_t* __restrict__ result, long long batches, long long sequence,
                                        long long heads, long long half) {
  forEach(batches * sequence * heads * half, [&](long long i) {
    const Place place = placeOf(i, sequence, heads, half);
    const float cosine = toFloat(cosines[place.angle]);
    fromFloat(toFloat(x[place.first]) * cosine, result[place.first]);
    fromFloat(toFloat(x[place.second]) * cosine, result[place.second]);
  });
}

extern "C" __global__ void rotate_halves(const scalar_t* __restrict__ x, scalar_t* __restrict__ rotated,
                                         long long batches, long long sequence, long long heads,
                                         long long half) {
  forEach(batches * sequence * heads * half, [&](long long i) {
    const Place place = placeOf(i, sequence, heads, half);
    fromFloat(-toFloat(x[place.second]), rotated[place.first]);
    rotated[place.second] = x[place.first];
  });
}

extern "C" __global__ void plus_times_sine(const scalar_t* __restrict__ result,
                                           const scalar_t* __restrict__ rotated,
                                           const scalar_t* __restrict__ sines, scalar_t* __restrict__ y,
                                           long long batches, long long sequence, long long heads,
                                           long long half) {
  forEach(batches * sequence * heads * half, [&](long long i) {
    const Place place = placeOf(i, sequence, heads, half);
    const float sine = toFloat(sines[place.angle]);
    fromFloat(toFloat(result[place.first]) + toFloat(rotated[place.first]) * sine, y[place.first]);
    fromFloat(toFloat(result[place.second]) + toFloat(rotated[place.second]) * sine, y[place.second]);
  });
}
