// SPDX-License-Identifier: Apache-2.0
// Attention as it is written out in an eager framework: products, scaling, mask and softmax, each with its
// result in memory. Heads of 128, tensors [batch, sequence, heads, 128].
#include "gemm_tile.cuh"

extern __shared__ uint4 stages[];

namespace {
constexpr long long kWidth = 128;
}

// scores[batch, head, query, key] = q k'
extern "C" __global__ void __launch_bounds__(128, 2)
    scores_of(const scalar_t* __restrict__ q, const scalar_t* __restrict__ k, scalar_t* __restrict__ scores,
              long long sequence, long long heads) {
  const long long row = static_cast<long long>(blockIdx.y) * kTile;
  const long long column = static_cast<long long>(blockIdx.x) * kTile;
  const long long batch = blockIdx.z / heads, head = blockIdx.z % heads;
  const long long first = batch * sequence * heads * kWidth + head * kWidth;
  const TileSums sums = gemmTile<true>(q + first, heads * kWidth, k + first, heads * kWidth, sequence,
                                       sequence, kWidth, row, column, reinterpret_cast<scalar_t*>(stages));
  storeTile(sums, scores + blockIdx.z * sequence * sequence, sequence, sequence, sequence, row, column);
}

extern "C" __global__ void scale_scores(const scalar_t* __restrict__ scores, scalar_t* __restrict__ scaled,
                                        long long batches, long long heads, long long sequence) {
  forEach(batches * heads * sequence * sequence,
          [&](long long i) { fromFloat(toFloat(scores[i]) * 0.08838834764831845f, scaled[i]); });
}

extern "C" __global__ void mask_scores(const scalar_t* __restrict__ scaled, scalar_t* __restrict__ scores,
                                       long long batches, long long heads, long long sequence) {
  forEach(batches * heads * sequence * sequence, [&](long long i) {
    const long long row = quotientOf(i, sequence), column = i - row * sequence;
    const long long query = row - quotientOf(row, sequence) * sequence;
    fromFloat(column <= query ? toFloat(scaled[i]) : -infinity(), scores[i]);
  });
}

extern "C" __global__ void __launch_bounds__(256)
    softmax_scores(const scalar_t* __restrict__ scores, scalar_t* __restrict__ weights, long long n) {
  const scalar_t* row = scores + blockIdx.x * n;
  float largest = -infinity(), sum = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) largest = fmaxf(largest, toFloat(row[i]));
  largest = blockMax(largest);
  for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(toFloat(row[i]) - largest);
  sum = blockSum(sum);
  for (long long i = threadIdx.x; i < n; i += blockDim.x)
    fromFloat(__expf(toFloat(row[i]) - largest) / sum, weights[blockIdx.x * n + i]);
}

// y = weights v
extern "C" __global__ void __launch_bounds__(128, 2)
    values_of(const scalar_t* __restrict__ weights, const scalar_t* __restrict__ v, scalar_t* __restrict__ y,
              long long sequence, long long heads) {
  const long long row = static_cast<long long>(blockIdx.y) * kTile;
  const long long batch = blockIdx.z / heads, head = blockIdx.z % heads;
  const long long first = batch * sequence * heads * kWidth + head * kWidth;
  const TileSums sums =
      gemmTile<false>(weights + blockIdx.z * sequence * sequence, sequence, v + first, heads * kWidth,
                      sequence, kWidth, sequence, row, 0, reinterpret_cast<scalar_t*>(stages));
  storeTile(sums, y + first, heads * kWidth, sequence, kWidth, row, 0);
}
