// SPDX-License-Identifier: Apache-2.0
// y[i] = x[i] / (1 - p) where the random number of i is at least p, else 0. The numbers depend on the seed
// and the index alone.
#include "opscope.cuh"

namespace {

// A hash of 32 bits with good avalanche: two multiplications and three shifts.
__device__ __forceinline__ unsigned mixed(unsigned value) {
  value = (value ^ value >> 16) * 0x7feb352du;
  value = (value ^ value >> 15) * 0x846ca68bu;
  return value ^ value >> 16;
}

__device__ __forceinline__ bool kept(long long index, unsigned key, unsigned threshold) {
  return mixed(static_cast<unsigned>(index) ^ mixed(key + static_cast<unsigned>(index >> 32))) >= threshold;
}

__device__ __forceinline__ unsigned thresholdOf(double p) {
  return static_cast<unsigned>(p * 4294967296.0);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    dropout_vectors(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n, double p,
                    long long random_seed) {
  const unsigned threshold = thresholdOf(p), key = static_cast<unsigned>(random_seed);
  const float scale = static_cast<float>(1.0 / (1.0 - p));
  mapVectors(x, y, n,
             [=](float value, long long i) { return kept(i, key, threshold) ? value * scale : 0.0f; });
}

// As an eager framework runs it: the mask in one kernel, its use in another.
extern "C" __global__ void dropout_mask(scalar_t* __restrict__ mask, long long n, double p,
                                        long long random_seed) {
  const unsigned threshold = thresholdOf(p), key = static_cast<unsigned>(random_seed);
  const float scale = static_cast<float>(1.0 / (1.0 - p));
  forEach(n, [&](long long i) { fromFloat(kept(i, key, threshold) ? scale : 0.0f, mask[i]); });
}

extern "C" __global__ void dropout_apply(const scalar_t* __restrict__ x, const scalar_t* __restrict__ mask,
                                         scalar_t* __restrict__ y, long long n) {
  forEach(n, [&](long long i) { fromFloat(toFloat(x[i]) * toFloat(mask[i]), y[i]); });
}
