// SPDX-License-Identifier: Apache-2.0
// Attention without tensor cores: a warp per query and head goes through the keys that the query sees, four
// elements of the head in each thread. Heads of 128, tensors [batch, sequence, heads, 128].
#include "opscope.cuh"

namespace {
constexpr int kWidth = 128;
constexpr int kEach = kWidth / 32;
constexpr float kScale = 0.08838834764831845f * 1.4426950408889634f;  // 1 / sqrt(128), for powers of two
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    attention_plain(const scalar_t* __restrict__ q, const scalar_t* __restrict__ k,
                    const scalar_t* __restrict__ v, scalar_t* __restrict__ y, long long batches,
                    long long queries, long long keys, long long heads, long long kv_heads) {
  const long long row = blockIdx.x * 8ll + threadIdx.x / 32;  // of [batch, query, head]
  if (row >= batches * queries * heads) return;
  const int lane = threadIdx.x % 32;
  const long long head = row % heads, query = row / heads % queries, batch = row / heads / queries;
  const long long seen = query + 1 + keys - queries;
  const long long stride = kv_heads * kWidth;
  const long long first = batch * keys * stride + head / (heads / kv_heads) * kWidth + lane;
  float held[kEach], out[kEach] = {}, largest = -infinity(), sum = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) held[i] = toFloat(q[row * kWidth + lane + 32 * i]) * kScale;
  for (long long key = 0; key < seen; ++key) {
    const long long at = first + key * stride;
    float score = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) score += held[i] * toFloat(k[at + 32 * i]);
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
    const float most = fmaxf(largest, score);
    const float shrink = powerOfTwo(largest - most), weight = powerOfTwo(score - most);
    largest = most;
    sum = sum * shrink + weight;
#pragma unroll
    for (int i = 0; i < kEach; ++i) out[i] = out[i] * shrink + weight * toFloat(v[at + 32 * i]);
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) fromFloat(out[i] / sum, y[row * kWidth + lane + 32 * i]);
}
