// SPDX-License-Identifier: Apache-2.0
// Normalisation of x[N, C, inner] over everything but the channel (batch), or over groups of channels
// (group). Both see x as spans of `inner` elements: channel c of image i is span i * C + c.
#include "opscope.cuh"

namespace {

// Sums of the differences from a value near the mean, and of their squares.
struct Moments {
  float sum, squares;
};

__device__ __forceinline__ Moments blockMoments(Moments m) {
  return {blockSum<0>(m.sum), blockSum<1>(m.squares)};
}

// Adds elements from `from` to `to`, in vectors where they are aligned. Every place in a vector has sums of
// its own, since millions of numbers in one fp32 sum lose digits.
__device__ __forceinline__ void addRange(Moments& m, const scalar_t* x, long long from, long long to,
                                         bool aligned, float shift) {
  Moments lanes[kVectorWidth] = {};
  if (aligned) {
#pragma unroll 4
    for (long long i = from + threadIdx.x * kVectorWidth; i < to; i += blockDim.x * kVectorWidth) {
      const Vector v = loadVector(x + i);
#pragma unroll
      for (int j = 0; j < kVectorWidth; ++j) {
        const float value = toFloat(v.at[j]) - shift;
        lanes[j].sum += value;
        lanes[j].squares += value * value;
      }
    }
  } else {
    for (long long i = from + threadIdx.x; i < to; i += blockDim.x) {
      const float value = toFloat(x[i]) - shift;
      lanes[0].sum += value;
      lanes[0].squares += value * value;
    }
  }
#pragma unroll
  for (int j = 0; j < kVectorWidth; ++j) {
    m.sum += lanes[j].sum;
    m.squares += lanes[j].squares;
  }
}

__device__ __forceinline__ void normaliseRange(const scalar_t* x, scalar_t* y, long long from, long long to,
                                               bool aligned, float factor, float offset) {
  if (aligned) {
#pragma unroll 4
    for (long long i = from + threadIdx.x * kVectorWidth; i < to; i += blockDim.x * kVectorWidth) {
      Vector v = loadVector(x + i);
#pragma unroll
      for (int j = 0; j < kVectorWidth; ++j) fromFloat(toFloat(v.at[j]) * factor + offset, v.at[j]);
      storeVector(y + i, v);
    }
    return;
  }
  for (long long i = from + threadIdx.x; i < to; i += blockDim.x)
    fromFloat(toFloat(x[i]) * factor + offset, y[i]);
}

struct Statistics {
  float mean, scale;
  __device__ __forceinline__ Statistics(Moments m, float shift, float count, double eps) {
    const float difference = m.sum / count;
    mean = shift + difference;
    scale = rsqrtf(fmaxf(m.squares / count - difference * difference, 0.0f) + static_cast<float>(eps));
  }
};

}  // namespace

// One block per channel does all of it.
extern "C" __global__ void __launch_bounds__(512)
    batch_norm_channel(const scalar_t* __restrict__ x, const float* __restrict__ weight,
                       const float* __restrict__ bias, scalar_t* __restrict__ y, float* __restrict__ mean,
                       float* __restrict__ rstd, long long images, long long channels, long long inner,
                       double eps) {
  const bool aligned = inner % kVectorWidth == 0;
  const float shift = toFloat(x[blockIdx.x * inner]);
  Moments m{0, 0};
  for (long long image = 0; image < images; ++image)
    addRange(m, x + (image * channels + blockIdx.x) * inner, 0, inner, aligned, shift);
  const Statistics s(blockMoments(m), shift, static_cast<float>(images * inner), eps);
  const float factor = s.scale * weight[blockIdx.x], offset = bias[blockIdx.x] - s.mean * factor;
  for (long long image = 0; image < images; ++image) {
    const long long span = (image * channels + blockIdx.x) * inner;
    normaliseRange(x + span, y + span, 0, inner, aligned, factor, offset);
  }
  if (threadIdx.x > 0) return;
  mean[blockIdx.x] = s.mean;
  rstd[blockIdx.x] = s.scale;
}

// Large spans in parts: block (p, span) takes part p. `per_part` is a multiple of the vectors' width.
extern "C" __global__ void __launch_bounds__(256)
    span_moments(const scalar_t* __restrict__ x, float* __restrict__ moments, long long channels,
                 long long inner, long long per_part) {
  const long long span = blockIdx.y, from = blockIdx.x * per_part;
  Moments m{0, 0};
  addRange(m, x + span * inner, from, min(inner, from + per_part), inner % kVectorWidth == 0,
           toFloat(x[span % channels * inner]));
  m = blockMoments(m);
  if (threadIdx.x > 0) return;
  reinterpret_cast<Moments*>(moments)[span * gridDim.x + blockIdx.x] = m;
}

extern "C" __global__ void __launch_bounds__(256)
    batch_statistics(const scalar_t* __restrict__ x, const float* __restrict__ moments,
                     float* __restrict__ mean, float* __restrict__ rstd, long long images, long long channels,
                     long long inner, long long per_part, double eps) {
  const long long parts = (inner + per_part - 1) / per_part;
  Moments m{0, 0};
  for (long long i = threadIdx.x; i < images * parts; i += blockDim.x) {
    const Moments part =
        reinterpret_cast<const Moments*>(moments)[(i / parts * channels + blockIdx.x) * parts + i % parts];
    m.sum += part.sum;
    m.squares += part.squares;
  }
  const Statistics s(blockMoments(m), toFloat(x[blockIdx.x * inner]), static_cast<float>(images * inner),
                     eps);
  if (threadIdx.x > 0) return;
  mean[blockIdx.x] = s.mean;
  rstd[blockIdx.x] = s.scale;
}

extern "C" __global__ void __launch_bounds__(256)
    span_normalise(const scalar_t* __restrict__ x, const float* __restrict__ weight,
                   const float* __restrict__ bias, const float* __restrict__ mean,
                   const float* __restrict__ rstd, scalar_t* __restrict__ y, long long channels,
                   long long inner, long long per_part) {
  const long long span = blockIdx.y, from = blockIdx.x * per_part, channel = span % channels;
  const float factor = rstd[channel] * weight[channel], offset = bias[channel] - mean[channel] * factor;
  normaliseRange(x + span * inner, y + span * inner, from, min(inner, from + per_part),
                 inner % kVectorWidth == 0, factor, offset);
}

// One block per image and group; its channels lie side by side.
extern "C" __global__ void __launch_bounds__(512)
    group_norm_block(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                     const scalar_t* __restrict__ bias, scalar_t* __restrict__ y, long long channels,
                     long long groups, long long inner, double eps) {
  const long long perGroup = channels / groups, elements = perGroup * inner;
  x += blockIdx.x * elements;
  y += blockIdx.x * elements;
  const float shift = toFloat(x[0]);
  Moments m{0, 0};
  addRange(m, x, 0, elements, elements % kVectorWidth == 0, shift);
  const Statistics s(blockMoments(m), shift, static_cast<float>(elements), eps);
  const long long firstChannel = blockIdx.x % groups * perGroup;
  for (long long c = 0; c < perGroup; ++c) {
    const float factor = s.scale * toFloat(weight[firstChannel + c]);
    normaliseRange(x + c * inner, y + c * inner, 0, inner, inner % kVectorWidth == 0, factor,
                   toFloat(bias[firstChannel + c]) - s.mean * factor);
  }
}

// The same in two kernels with a block for each part of a group: block (p, group).
extern "C" __global__ void __launch_bounds__(256)
    group_moments(const scalar_t* __restrict__ x, float* __restrict__ moments, long long channels,
                  long long groups, long long inner, long long per_part) {
  const long long elements = channels / groups * inner, from = blockIdx.x * per_part;
  x += blockIdx.y * elements;
  Moments m{0, 0};
  addRange(m, x, from, min(elements, from + per_part), elements % kVectorWidth == 0, toFloat(x[0]));
  m = blockMoments(m);
  if (threadIdx.x == 0)
    reinterpret_cast<Moments*>(moments)[blockIdx.y * static_cast<long long>(gridDim.x) + blockIdx.x] = m;
}

extern "C" __global__ void __launch_bounds__(256)
    group_normalise(const scalar_t* __restrict__ x, const scalar_t* __restrict__ weight,
                    const scalar_t* __restrict__ bias, const float* __restrict__ moments,
                    scalar_t* __restrict__ y, long long channels, long long groups, long long inner,
                    long long per_part, double eps) {
  const long long perGroup = channels / groups, elements = perGroup * inner;
  x += blockIdx.y * elements;
  y += blockIdx.y * elements;
  const auto* parts =
      reinterpret_cast<const Moments*>(moments) + blockIdx.y * static_cast<long long>(gridDim.x);
  Moments m{0, 0};
  for (int p = threadIdx.x; p < gridDim.x; p += blockDim.x) {
    m.sum += parts[p].sum;
    m.squares += parts[p].squares;
  }
  const Statistics s(blockMoments(m), toFloat(x[0]), static_cast<float>(elements), eps);
  const long long from = blockIdx.x * per_part, to = min(elements, from + per_part);
  const long long firstChannel = blockIdx.y % groups * perGroup;
  for (long long channel = from / inner; channel * inner < to; ++channel) {
    const float factor = s.scale * toFloat(weight[firstChannel + channel]);
    const long long begin = max(from, channel * inner), end = min(to, (channel + 1) * inner);
    normaliseRange(x, y, begin, end, inner % kVectorWidth == 0, factor,
                   toFloat(bias[firstChannel + channel]) - s.mean * factor);
  }
}
