// SPDX-License-Identifier: Apache-2.0
// Quantisation as an eager framework runs it: the operators of eager.cu, and the last one, which rounds.
#include "eager.cu"
#include "eight_bits.cuh"

template <typename Target>
__global__ void to_8_bits(const float* __restrict__ wide, typename Target::Type* __restrict__ q,
                          long long rows, long long n) {
  forEach(rows * n, [&](long long i) { q[i] = Target::from(wide[i]); });
}
