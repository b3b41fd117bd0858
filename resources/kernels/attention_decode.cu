// SPDX-License-Identifier: Apache-2.0
// One new token per sequence: y[b, h] = softmax(q[b, h] k[b, :, h']' / sqrt(128)) v[b, :, h'] for heads of
// 128, where heads / kv_heads query heads share a head h' of the cache. The cache is what takes the time: it
// is read once.
#include "attention.cuh"

namespace {

constexpr int kWarps = 4;
constexpr int kLanes = kWidth / kVectorWidth;  // that hold a row of the cache, a vector each
constexpr int kRowsAtOnce = 32 / kLanes;       // of a warp
constexpr int kAhead = 4;                      // of those are asked for before the first is used

// What a part leaves for a query head: its values weighted by powers relative to its largest score, that
// score, the sum of the powers, and how many parts there are.
constexpr int kPartial = kWidth + 3;

}  // namespace

// Block (part, kv head, batch) goes through a part of the cache for the `shared` query heads of its kv head.
// Result: a partial for each query head.
template <int shared>
__global__ void __launch_bounds__(kWarps * 32)
    decode_parts(const scalar_t* __restrict__ q, const scalar_t* __restrict__ k,
                 const scalar_t* __restrict__ v, float* __restrict__ partial, long long keys,
                 long long kv_heads) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, part = lane % kLanes;
  const long long kvHead = blockIdx.y, batch = blockIdx.z;
  const long long stride = kv_heads * kWidth;
  k += batch * keys * stride + kvHead * kWidth + part * kVectorWidth;
  v += batch * keys * stride + kvHead * kWidth + part * kVectorWidth;
  const long long firstHead = (batch * kv_heads + kvHead) * shared;

  float query[shared][kVectorWidth], out[shared][kVectorWidth] = {};
  float largest[shared], sum[shared] = {};
#pragma unroll
  for (int h = 0; h < shared; ++h) {
    const Vector held = loadVector(q + (firstHead + h) * kWidth + part * kVectorWidth);
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i) query[h][i] = toFloat(held.at[i]) * kScale;
    largest[h] = -infinity();
  }

  const long long perPart = (keys + gridDim.x - 1) / gridDim.x;
  const long long from = blockIdx.x * perPart, to = min(keys, from + perPart);
  constexpr int kStep = kWarps * kRowsAtOnce;
  for (long long first = from + warp * kRowsAtOnce + lane / kLanes; first - lane / kLanes < to;
       first += kStep * kAhead) {
    Vector keyRow[kAhead], valueRow[kAhead];
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      const long long at = min(first + a * kStep, to - 1);
      keyRow[a] = loadVector(k + at * stride);
      valueRow[a] = loadVector(v + at * stride);
    }
    float scores[shared][kAhead];
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      float row[kVectorWidth];
#pragma unroll
      for (int i = 0; i < kVectorWidth; ++i) row[i] = toFloat(keyRow[a].at[i]);
#pragma unroll
      for (int h = 0; h < shared; ++h) {
        float score = 0;
#pragma unroll
        for (int i = 0; i < kVectorWidth; ++i) score += query[h][i] * row[i];
#pragma unroll
        for (int step = kLanes / 2; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
        scores[h][a] = first + a * kStep < to ? score : -infinity();
      }
    }
#pragma unroll
    for (int h = 0; h < shared; ++h) {
      float most = largest[h];
#pragma unroll
      for (int a = 0; a < kAhead; ++a) most = fmaxf(most, scores[h][a]);
      const float base = most == -infinity() ? 0.0f : most;
      const float shrink = powerOfTwo(largest[h] - base);
      largest[h] = most;
      sum[h] *= shrink;
#pragma unroll
      for (int i = 0; i < kVectorWidth; ++i) out[h][i] *= shrink;
#pragma unroll
      for (int a = 0; a < kAhead; ++a) {
        scores[h][a] = powerOfTwo(scores[h][a] - base);
        sum[h] += scores[h][a];
      }
    }
#pragma unroll
    for (int a = 0; a < kAhead; ++a)
#pragma unroll
      for (int i = 0; i < kVectorWidth; ++i) {
        const float value = toFloat(valueRow[a].at[i]);
#pragma unroll
        for (int h = 0; h < shared; ++h) out[h][i] += scores[h][a] * value;
      }
  }

  // The groups of lanes that held different rows are put together in shared memory, one query head at a time.
  constexpr int kGroups = kWarps * kRowsAtOnce;
  __shared__ float groupLargest[kGroups], groupSum[kGroups], groupOut[kGroups][kWidth];
  const int group = warp * kRowsAtOnce + lane / kLanes;
#pragma unroll
  for (int h = 0; h < shared; ++h) {
    __syncthreads();
    if (part == 0) {
      groupLargest[group] = largest[h];
      groupSum[group] = sum[h];
    }
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i) groupOut[group][part * kVectorWidth + i] = out[h][i];
    __syncthreads();
    float most = -infinity(), total = 0, value = 0;
    for (int g = 0; g < kGroups; ++g) most = fmaxf(most, groupLargest[g]);
    for (int g = 0; g < kGroups; ++g) {
      const float factor = most == -infinity() ? 0.0f : powerOfTwo(groupLargest[g] - most);
      total += groupSum[g] * factor;
      value += groupOut[g][threadIdx.x] * factor;
    }
    float* to_partial = partial + ((firstHead + h) * gridDim.x + blockIdx.x) * kPartial;
    to_partial[threadIdx.x] = value;
    if (threadIdx.x == 0) {
      to_partial[kWidth] = most;
      to_partial[kWidth + 1] = total;
      to_partial[kWidth + 2] = static_cast<float>(gridDim.x);
    }
  }
}

// The same on tensor cores, for 2 to 16 query heads that share a head of the cache: they are the rows of one
// mma tile, and each of the four warps takes 16 keys of a step. The arithmetic of plain loops would take
// longer than the memory here.
extern "C" __global__ void __launch_bounds__(128, 3)
    decode_parts_mma(const scalar_t* __restrict__ q, const scalar_t* __restrict__ k,
                     const scalar_t* __restrict__ v, float* __restrict__ partial, long long keys,
                     long long heads, long long kv_heads) {
  extern __shared__ uint4 tiles[];
  const auto keyTile = [&](int step) {
    return reinterpret_cast<scalar_t*>(tiles) + step % 2 * kTileElements;
  };
  const auto valueTile = [&](int step) { return keyTile(step) + 2 * kTileElements; };
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int shared = static_cast<int>(heads / kv_heads);
  const long long kvHead = blockIdx.y, batch = blockIdx.z, stride = kv_heads * kWidth;
  const long long firstHead = batch * heads + kvHead * shared;
  k += batch * keys * stride + kvHead * kWidth;
  v += batch * keys * stride + kvHead * kWidth;
  const long long perPart = ((keys + gridDim.x - 1) / gridDim.x + kKeys - 1) / kKeys * kKeys;
  const long long from = blockIdx.x * perPart, to = min(keys, from + perPart);
  const int steps = from < to ? static_cast<int>((to - from + kKeys - 1) / kKeys) : 0;

  const auto load = [&](int step) {
    if (step < steps) {
      loadTile(keyTile(step), k, from + step * kKeys, to, stride);
      loadTile(valueTile(step), v, from + step * kKeys, to, stride);
    }
    commitCopies();
  };
  load(0);

  // Rows beyond the query heads are zero, and their results are not looked at.
  unsigned query[8][4];
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const int row = lane / 4 + part % 2 * 8, column = i * 16 + part / 2 * 8 + lane % 4 * 2;
      query[i][part] =
          row < shared ? *reinterpret_cast<const unsigned*>(q + (firstHead + row) * kWidth + column) : 0;
    }

  float out[16][4] = {}, largest[2] = {-infinity(), -infinity()}, sum[2] = {0, 0};
  for (int step = 0; step < steps; ++step) {
    load(step + 1);
    waitForCopies<1>();
    __syncthreads();
    float scores[2][4] = {};
    const scalar_t* fromKeys = keyTile(step) + warp * 16 * kRow;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      unsigned key[4];
      loadMatrices(key, fromKeys + (lane / 16 * 8 + lane % 8) * kRow + i * 16 + lane / 8 % 2 * 8);
      multiply(scores[0], query[i], key[0], key[1]);
      multiply(scores[1], query[i], key[2], key[3]);
    }
    const long long first = from + step * kKeys + warp * 16 + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int c = 0; c < 4; ++c)
        if (first + j * 8 + c % 2 >= to) scores[j][c] = -infinity();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float most = largest[half];
#pragma unroll
      for (int j = 0; j < 2; ++j) most = fmaxf(most, fmaxf(scores[j][2 * half], scores[j][2 * half + 1]));
      most = quadMax(most);
      const float base = most == -infinity() ? 0.0f : most * kScale;
      const float shrink = powerOfTwo(largest[half] * kScale - base);
      largest[half] = most;
      sum[half] *= shrink;
#pragma unroll
      for (int j = 0; j < 2; ++j)
#pragma unroll
        for (int c = 2 * half; c < 2 * half + 2; ++c) {
          scores[j][c] = powerOfTwo(scores[j][c] * kScale - base);
          sum[half] += scores[j][c];
        }
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        out[j][2 * half] *= shrink;
        out[j][2 * half + 1] *= shrink;
      }
    }
    const unsigned weights[4] = {packed(scores[0][0], scores[0][1]), packed(scores[0][2], scores[0][3]),
                                 packed(scores[1][0], scores[1][1]), packed(scores[1][2], scores[1][3])};
    const scalar_t* fromValues = valueTile(step) + warp * 16 * kRow;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      unsigned value[4];
      loadTransposed(value, fromValues + lane % 16 * kRow + j * 16 + lane / 16 * 8);
      multiply(out[2 * j], weights, value[0], value[1]);
      multiply(out[2 * j + 1], weights, value[2], value[3]);
    }
    __syncthreads();  // before the tiles are overwritten
  }

  // What the four warps have is put together where the tiles were.
  waitForCopies<0>();
  auto* warpOut = reinterpret_cast<float*>(tiles);  // [warp][row][column]
  float* warpLargest = warpOut + 4 * 16 * kWidth;   // [warp][row]
  float* warpSum = warpLargest + 4 * 16;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = warp * 16 + half * 8 + lane / 4;
    const float all = quadSum(sum[half]);
    if (lane % 4 == 0) {
      warpLargest[row] = largest[half] * kScale;
      warpSum[row] = all;
    }
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      warpOut[row * kWidth + j * 8 + lane % 4 * 2] = out[j][2 * half];
      warpOut[row * kWidth + j * 8 + lane % 4 * 2 + 1] = out[j][2 * half + 1];
    }
  }
  __syncthreads();
  for (int h = 0; h < shared; ++h) {
    float most = -infinity(), total = 0, value = 0;
    for (int w = 0; w < 4; ++w) most = fmaxf(most, warpLargest[w * 16 + h]);
    for (int w = 0; w < 4; ++w) {
      const float factor = most == -infinity() ? 0.0f : powerOfTwo(warpLargest[w * 16 + h] - most);
      total += warpSum[w * 16 + h] * factor;
      value += warpOut[(w * 16 + h) * kWidth + threadIdx.x] * factor;
    }
    float* to_partial = partial + ((firstHead + h) * gridDim.x + blockIdx.x) * kPartial;
    to_partial[threadIdx.x] = value;
    if (threadIdx.x == 0) {
      to_partial[kWidth] = most;
      to_partial[kWidth + 1] = total;
      to_partial[kWidth + 2] = static_cast<float>(gridDim.x);
    }
  }
}

// One block per query head: its parts put together. There can be a hundred, each as far away as memory is:
// eight groups of threads go through them side by side.
constexpr int kSideBySide = 8;
extern "C" __global__ void __launch_bounds__(kSideBySide* kWidth)
    decode_combine(const float* __restrict__ partial, scalar_t* __restrict__ y) {
  __shared__ float groupTotal[kSideBySide], groupValue[kSideBySide][kWidth];
  const auto parts = static_cast<long long>(partial[kWidth + 2]);
  const float* from = partial + blockIdx.x * parts * kPartial;
  const int column = threadIdx.x % kWidth, group = threadIdx.x / kWidth;
  float most = -infinity(), total = 0, value = 0;
  for (long long p = threadIdx.x; p < parts; p += blockDim.x) most = fmaxf(most, from[p * kPartial + kWidth]);
  most = blockMax(most);
#pragma unroll 4
  for (long long p = group; p < parts; p += kSideBySide) {
    const float* part = from + p * kPartial;
    const float factor = powerOfTwo(part[kWidth] - most);
    total += part[kWidth + 1] * factor;
    value += part[column] * factor;
  }
  if (column == 0) groupTotal[group] = total;
  groupValue[group][column] = value;
  __syncthreads();
  if (group > 0) return;
  for (int g = 1; g < kSideBySide; ++g) {
    total += groupTotal[g];
    value += groupValue[g][column];
  }
  fromFloat(value / total, y[blockIdx.x * static_cast<long long>(kWidth) + column]);
}

// The operators of it, as written out in an eager framework. A warp per key and query head.
extern "C" __global__ void __launch_bounds__(256)
    decode_scores(const scalar_t* __restrict__ q, const scalar_t* __restrict__ k, float* __restrict__ scores,
                  long long keys, long long heads, long long kv_heads) {
  const long long key = blockIdx.x * 8ll + threadIdx.x / 32, head = blockIdx.y, batch = blockIdx.z;
  if (key >= keys) return;
  const long long kvHead = head / (heads / kv_heads);
  const scalar_t* row = k + ((batch * keys + key) * kv_heads + kvHead) * kWidth;
  float score = 0;
  for (int i = threadIdx.x % 32; i < kWidth; i += 32)
    score += toFloat(q[(batch * heads + head) * kWidth + i]) * toFloat(row[i]);
  for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
  if (threadIdx.x % 32 == 0) scores[(batch * heads + head) * keys + key] = score * 0.08838834764831845f;
}

extern "C" __global__ void __launch_bounds__(512)
    decode_softmax(const float* __restrict__ scores, float* __restrict__ weights, long long keys) {
  const float* row = scores + blockIdx.x * keys;
  float largest = -infinity(), sum = 0;
  for (long long i = threadIdx.x; i < keys; i += blockDim.x) largest = fmaxf(largest, row[i]);
  largest = blockMax(largest);
  for (long long i = threadIdx.x; i < keys; i += blockDim.x) sum += __expf(row[i] - largest);
  sum = blockSum(sum);
  for (long long i = threadIdx.x; i < keys; i += blockDim.x)
    weights[blockIdx.x * keys + i] = __expf(row[i] - largest) / sum;
}

extern "C" __global__ void __launch_bounds__(512)
    decode_values(const float* __restrict__ weights, const scalar_t* __restrict__ v, scalar_t* __restrict__ y,
                  long long keys, long long heads, long long kv_heads) {
  __shared__ float partial[4][kWidth];
  const long long head = blockIdx.x, batch = blockIdx.y, kvHead = head / (heads / kv_heads);
  const int column = threadIdx.x % kWidth, group = threadIdx.x / kWidth;
  float value = 0;
#pragma unroll 8
  for (long long key = group; key < keys; key += 4)
    value += weights[(batch * heads + head) * keys + key] *
             toFloat(v[((batch * keys + key) * kv_heads + kvHead) * kWidth + column]);
  partial[group][column] = value;
  __syncthreads();
  if (group == 0)
    fromFloat(partial[0][column] + partial[1][column] + partial[2][column] + partial[3][column],
              y[(batch * heads + head) * kWidth + column]);
}
