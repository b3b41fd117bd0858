// SPDX-License-Identifier: Apache-2.0
// The indices of the k largest of each row, in ascending order. Of equal values at the border those with the
// lowest indices are taken.
#include "opscope.cuh"

namespace {

// An integer that is ordered as the value is: negative values turn around, others go above them.
__device__ __forceinline__ unsigned orderOf(float value) {
  const unsigned bits = __float_as_uint(value == 0 ? 0.0f : value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// The sum of `value` over the threads before this one; `total` becomes that over all. All 32 warps take part.
__device__ __forceinline__ int sumBefore(int value, int& total) {
  __shared__ int sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int through = value;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, through, step);
    if (lane >= step) through += other;
  }
  __syncthreads();  // the sums of the call before this one have been read
  if (lane == 31) sums[warp] = through;
  __syncthreads();
  int all = sums[lane];
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, all, step);
    if (lane >= step) all += other;
  }
  total = __shfl_sync(0xffffffffu, all, 31);
  const int warpsBefore = __shfl_sync(0xffffffffu, all, warp > 0 ? warp - 1 : 0);
  return through - value + (warp > 0 ? warpsBefore : 0);
}

// Writes the places of all above the threshold, and of the first `ties` that are equal to it. A thread looks
// at several neighbours, so that there are few waits for the other threads.
__device__ __forceinline__ void collect(const scalar_t* row, int* to, int n, unsigned threshold, int ties) {
  constexpr int kEach = 8;
  int written = 0, equal = 0;
  for (int chunk = 0; chunk < n; chunk += kEach * blockDim.x) {
    const int first = chunk + threadIdx.x * kEach;
    unsigned above = 0, tied = 0;  // a bit for each neighbour
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      if (first + i >= n) continue;
      const unsigned order = orderOf(toFloat(row[first + i]));
      above |= (order > threshold ? 1u : 0u) << i;
      tied |= (order == threshold ? 1u : 0u) << i;
    }
    int all;
    int tiesBefore = equal + sumBefore(__popc(tied), all);
    equal += all;
    unsigned taken = above;
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      if (tied >> i & 1 && tiesBefore++ < ties) taken |= 1u << i;
    int place = written + sumBefore(__popc(taken), all);
    written += all;
#pragma unroll
    for (int i = 0; i < kEach; ++i)
      if (taken >> i & 1) to[place++] = first + i;
  }
}

constexpr int kBins = 2048;

}  // namespace

// One block per row finds the threshold in digits of 11 bits, from the top: a histogram of the next digit of
// those that agree so far says which one the k-th largest has.
extern "C" __global__ void __launch_bounds__(1024)
    topk_radix(const scalar_t* __restrict__ x, int* __restrict__ indices, long long columns, long long k) {
  __shared__ int histogram[kBins];
  __shared__ unsigned foundDigit;
  __shared__ int foundAbove;
  const int n = static_cast<int>(columns);
  const scalar_t* row = x + blockIdx.x * columns;
  unsigned prefix = 0, mask = 0;
  int wanted = static_cast<int>(k);
  for (int shift = 21; shift > -11; shift -= 11) {
    const int low = max(shift, 0);
    const unsigned digits = shift < 0 ? 1023 : kBins - 1;
    // What 16 bits do not say is all zeros in a positive float, and all ones in this order of a negative one.
    if (sizeof(scalar_t) == 2 && shift < 0) {
      prefix |= prefix & 0x80000000u ? 0 : 1023;
      break;
    }
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) histogram[i] = 0;
    __syncthreads();
    eachInRange(row, 0, n, columns % kVectorWidth == 0, [&](float value, int) {
      const unsigned order = orderOf(value);
      if ((order & mask) == prefix) atomicAdd(&histogram[order >> low & digits], 1);
    });
    __syncthreads();
    // Two bins per thread, from the top.
    const int bin = kBins - 1 - 2 * threadIdx.x;
    const int upper = histogram[bin], lower = histogram[bin - 1];
    int all;
    const int above = sumBefore(upper + lower, all);
    if (above < wanted && wanted <= above + upper + lower) {
      const bool second = wanted > above + upper;
      foundDigit = second ? bin - 1 : bin;
      foundAbove = above + (second ? upper : 0);
    }
    __syncthreads();
    prefix |= foundDigit << low;
    mask |= digits << low;
    wanted -= foundAbove;
    __syncthreads();
  }
  collect(row, indices + blockIdx.x * k, n, prefix, wanted);
}

// The same by bisection: 32 times it is counted how many are above the middle.
extern "C" __global__ void __launch_bounds__(1024)
    topk_bisect(const scalar_t* __restrict__ x, int* __restrict__ indices, long long columns, long long k) {
  const int n = static_cast<int>(columns);
  const scalar_t* row = x + blockIdx.x * columns;
  const auto countFrom = [&](unsigned least) {
    int count = 0, all;
    eachInRange(row, 0, n, columns % kVectorWidth == 0,
                [&](float value, int) { count += orderOf(value) >= least ? 1 : 0; });
    sumBefore(count, all);
    return all;
  };
  // The largest threshold that at least k reach.
  unsigned threshold = 0;
  for (int bit = 31; bit >= 0; --bit)
    if (countFrom(threshold | 1u << bit) >= k) threshold |= 1u << bit;
  const int above = threshold == 0xffffffffu ? 0 : countFrom(threshold + 1);
  collect(row, indices + blockIdx.x * k, n, threshold, static_cast<int>(k) - above);
}
