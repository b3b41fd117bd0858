// SPDX-License-Identifier: Apache-2.0
// y = softmax(q k' / sqrt(128)) v for heads of 128, tensors [batch, sequence, heads, 128]. A query sees the
// keys up to its own place, counted from the end of both. Several query heads may share a head of k and v.
#include "attention.cuh"

namespace {
constexpr int kQueries = 64;  // of a block, 16 for each of its four warps
}

extern __shared__ uint4 tiles[];  // the queries, and two each of keys and values

extern "C" __global__ void __launch_bounds__(128)
    attention_prefill(const scalar_t* __restrict__ q, const scalar_t* __restrict__ k,
                      const scalar_t* __restrict__ v, scalar_t* __restrict__ y, long long queries,
                      long long keys, long long heads, long long kv_heads) {
  auto* queryTile = reinterpret_cast<scalar_t*>(tiles);
  const auto keyTile = [&](int step) { return queryTile + (1 + step % 2) * kTileElements; };
  const auto valueTile = [&](int step) { return queryTile + (3 + step % 2) * kTileElements; };
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long head = blockIdx.y, batch = blockIdx.z;
  // The blocks that see most keys first, so that none of them is alone at the end.
  const long long firstQuery = static_cast<long long>(gridDim.x - 1 - blockIdx.x) * kQueries;
  const long long stride = heads * kWidth, kvStride = kv_heads * kWidth;
  const long long kvHead = head / (heads / kv_heads);
  q += batch * queries * stride + head * kWidth;
  y += batch * queries * stride + head * kWidth;
  k += batch * keys * kvStride + kvHead * kWidth;
  v += batch * keys * kvStride + kvHead * kWidth;
  const long long seenBefore = keys - queries;  // keys that all queries see
  const long long lastKey = min(keys, firstQuery + kQueries + seenBefore);
  const int steps = static_cast<int>((lastKey + kKeys - 1) / kKeys);

  loadTile(queryTile, q, firstQuery, queries, stride);
  loadTile(keyTile(0), k, 0, keys, kvStride);
  loadTile(valueTile(0), v, 0, keys, kvStride);
  commitCopies();

  unsigned query[8][4];
  float out[16][4] = {};
  float largest[2] = {-infinity(), -infinity()}, sum[2] = {0, 0};
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) {
      loadTile(keyTile(step + 1), k, (step + 1ll) * kKeys, keys, kvStride);
      loadTile(valueTile(step + 1), v, (step + 1ll) * kKeys, keys, kvStride);
    }
    commitCopies();
    waitForCopies<1>();
    __syncthreads();
    if (step == 0)
#pragma unroll
      for (int i = 0; i < 8; ++i)
        loadMatrices(query[i], queryTile + (warp * 16 + lane % 16) * kRow + i * 16 + lane / 16 * 8);

    float scores[8][4] = {};
    const scalar_t* fromKeys = keyTile(step);
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        unsigned key[4];
        loadMatrices(key, fromKeys + (j * 16 + lane / 16 * 8 + lane % 8) * kRow + i * 16 + lane / 8 % 2 * 8);
        multiply(scores[2 * j], query[i], key[0], key[1]);
        multiply(scores[2 * j + 1], query[i], key[2], key[3]);
      }

    const long long row = firstQuery + warp * 16 + lane / 4;
    const long long column = static_cast<long long>(step) * kKeys + lane % 4 * 2;
    if ((step + 1ll) * kKeys > firstQuery + seenBefore + 1)  // some query does not see all of these
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int c = 0; c < 4; ++c)
          if (column + j * 8 + c % 2 > row + c / 2 * 8 + seenBefore) scores[j][c] = -infinity();

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float most = largest[half];
#pragma unroll
      for (int j = 0; j < 8; ++j) most = fmaxf(most, fmaxf(scores[j][2 * half], scores[j][2 * half + 1]));
      most = quadMax(most);
      // A query beyond the last one may see nothing at all.
      const float base = most == -infinity() ? 0.0f : most * kScale;
      const float shrink = powerOfTwo(largest[half] * kScale - base);
      largest[half] = most;
      float added = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int c = 2 * half; c < 2 * half + 2; ++c) {
          scores[j][c] = powerOfTwo(scores[j][c] * kScale - base);
          added += scores[j][c];
        }
      sum[half] = sum[half] * shrink + added;
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        out[j][2 * half] *= shrink;
        out[j][2 * half + 1] *= shrink;
      }
    }

    const scalar_t* fromValues = valueTile(step);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned weights[4] = {packed(scores[2 * i][0], scores[2 * i][1]),
                                   packed(scores[2 * i][2], scores[2 * i][3]),
                                   packed(scores[2 * i + 1][0], scores[2 * i + 1][1]),
                                   packed(scores[2 * i + 1][2], scores[2 * i + 1][3])};
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        unsigned value[4];
        loadTransposed(value, fromValues + (i * 16 + lane % 16) * kRow + j * 16 + lane / 16 * 8);
        multiply(out[2 * j], weights, value[0], value[1]);
        multiply(out[2 * j + 1], weights, value[2], value[3]);
      }
    }
    __syncthreads();  // before the tiles are overwritten
  }

#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const long long row = firstQuery + warp * 16 + half * 8 + lane / 4;
    const float scale = 1.0f / quadSum(sum[half]);
    if (row >= queries) continue;
#pragma unroll
    for (int j = 0; j < 16; ++j)
      *reinterpret_cast<unsigned*>(y + row * stride + j * 8 + lane % 4 * 2) =
          packed(out[j][2 * half] * scale, out[j][2 * half + 1] * scale);
  }
}
