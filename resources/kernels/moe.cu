// SPDX-License-Identifier: Apache-2.0
// Mixture of experts around the experts themselves: choosing them, sorting tokens by expert, and putting
// their results together again.
#include "opscope.cuh"

namespace {

constexpr int kMostPerLane = 16;  // experts of a lane: 512 in all
constexpr int kChunk = 512;       // assignments that one block ranks

struct Candidate {
  float value;
  int index;
};

// The larger value; of equal ones the lower index.
__device__ __forceinline__ Candidate better(Candidate a, Candidate b) {
  return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

// The k largest of a row by one warp, with their softmax.
__device__ __forceinline__ void chooseExperts(const float (&held)[kMostPerLane], float* weights, int* ids,
                                              long long k) {
  const int lane = threadIdx.x % 32;
  float left[kMostPerLane], largest = -infinity(), sum = 0;
#pragma unroll
  for (int i = 0; i < kMostPerLane; ++i) {
    left[i] = held[i];
    largest = fmaxf(largest, held[i]);
  }
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
#pragma unroll
  for (int i = 0; i < kMostPerLane; ++i) sum += __expf(held[i] - largest);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  for (long long chosen = 0; chosen < k; ++chosen) {
    Candidate best{-infinity(), 0x7fffffff};
#pragma unroll
    for (int i = 0; i < kMostPerLane; ++i) best = better(best, {left[i], i * 32 + lane});
    for (int step = 16; step > 0; step /= 2)
      best = better(best, {__shfl_xor_sync(0xffffffffu, best.value, step),
                           __shfl_xor_sync(0xffffffffu, best.index, step)});
#pragma unroll
    for (int i = 0; i < kMostPerLane; ++i)
      if (i * 32 + lane == best.index) left[i] = -infinity();
    if (lane == 0) {
      weights[chosen] = __expf(best.value - largest) / sum;
      ids[chosen] = best.index;
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128)
    moe_gate(const scalar_t* __restrict__ logits, float* __restrict__ weights, int* __restrict__ ids,
             long long tokens, long long experts, long long k) {
  const long long token = blockIdx.x * 4ll + threadIdx.x / 32;
  if (token >= tokens) return;
  float held[kMostPerLane];
#pragma unroll
  for (int i = 0; i < kMostPerLane; ++i) {
    const int expert = i * 32 + threadIdx.x % 32;
    held[i] = expert < experts ? toFloat(logits[token * experts + expert]) : -infinity();
  }
  chooseExperts(held, weights + token * k, ids + token * k, k);
}

// The same in two operators: the softmax of all experts, then the choice among them, round by round.
extern "C" __global__ void __launch_bounds__(128)
    gate_softmax(const scalar_t* __restrict__ logits, float* __restrict__ scores, long long experts) {
  const scalar_t* row = logits + blockIdx.x * experts;
  float largest = -infinity(), sum = 0;
  for (long long i = threadIdx.x; i < experts; i += blockDim.x) largest = fmaxf(largest, toFloat(row[i]));
  largest = blockMax(largest);
  for (long long i = threadIdx.x; i < experts; i += blockDim.x) sum += __expf(toFloat(row[i]) - largest);
  sum = blockSum(sum);
  for (long long i = threadIdx.x; i < experts; i += blockDim.x)
    scores[blockIdx.x * experts + i] = __expf(toFloat(row[i]) - largest) / sum;
}

extern "C" __global__ void __launch_bounds__(32)
    gate_choose(const scalar_t* __restrict__ logits, const float* __restrict__ scores,
                float* __restrict__ weights, int* __restrict__ ids, long long experts, long long k) {
  __shared__ unsigned char taken[512];
  const scalar_t* row = logits + blockIdx.x * experts;
  for (int i = threadIdx.x; i < experts; i += 32) taken[i] = 0;
  for (long long chosen = 0; chosen < k; ++chosen) {
    __syncwarp();
    Candidate best{-infinity(), 0x7fffffff};
    for (int i = threadIdx.x; i < experts; i += 32)
      if (!taken[i]) best = better(best, {toFloat(row[i]), i});
    for (int step = 16; step > 0; step /= 2)
      best = better(best, {__shfl_xor_sync(0xffffffffu, best.value, step),
                           __shfl_xor_sync(0xffffffffu, best.index, step)});
    if (threadIdx.x > 0) continue;
    taken[best.index] = 1;
    ids[blockIdx.x * k + chosen] = best.index;
    weights[blockIdx.x * k + chosen] = scores[blockIdx.x * experts + best.index];
  }
}

// Assignments (token, choice) sorted by expert, stably. First: how many of each chunk go to each expert.
extern "C" __global__ void __launch_bounds__(kChunk)
    count_experts(const int* __restrict__ ids, int* __restrict__ histogram, long long tokens, long long k,
                  long long experts) {
  extern __shared__ int counts[];
  for (int e = threadIdx.x; e < experts; e += kChunk) counts[e] = 0;
  __syncthreads();
  const long long i = blockIdx.x * static_cast<long long>(kChunk) + threadIdx.x;
  if (i < tokens * k) atomicAdd(&counts[ids[i]], 1);
  __syncthreads();
  for (int e = threadIdx.x; e < experts; e += kChunk) histogram[blockIdx.x * experts + e] = counts[e];
}

// Then, by one block: where each chunk's first assignment of each expert goes. Replaces the counts.
extern "C" __global__ void __launch_bounds__(1024)
    place_experts(int* histogram, long long* __restrict__ offsets, long long* __restrict__ sizes,
                  long long tokens, long long k, long long experts) {
  __shared__ int sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int chunks = static_cast<int>((tokens * k + kChunk - 1) / kChunk);
  int count = 0;
  if (threadIdx.x < experts)
#pragma unroll 8
    for (int c = 0; c < chunks; ++c) count += histogram[c * experts + threadIdx.x];
  int through = count;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, through, step);
    if (lane >= step) through += other;
  }
  if (lane == 31) sums[warp] = through;
  __syncthreads();
  int before = through - count;
  for (int w = 0; w < warp; ++w) before += sums[w];
  if (threadIdx.x >= experts) return;
  offsets[threadIdx.x] = before;
  sizes[threadIdx.x] = count;
  if (threadIdx.x == experts - 1) offsets[experts] = before + count;
  for (int c = 0; c < chunks; ++c) {
    const int here = histogram[c * experts + threadIdx.x];
    histogram[c * experts + threadIdx.x] = before;
    before += here;
  }
}

// Then each assignment's place: after those of its chunk that come before it and go to the same expert.
extern "C" __global__ void __launch_bounds__(kChunk)
    rank_assignments(const int* __restrict__ ids, const int* __restrict__ places, int* __restrict__ inverse,
                     int* __restrict__ source, long long tokens, long long k, long long experts) {
  __shared__ int chunk[kChunk];
  const long long i = blockIdx.x * static_cast<long long>(kChunk) + threadIdx.x;
  const bool inside = i < tokens * k;
  const int id = inside ? ids[i] : -1;
  chunk[threadIdx.x] = id;
  __syncthreads();
  if (!inside) return;
  int rank = 0;
#pragma unroll 8
  for (int before = 0; before < threadIdx.x; ++before) rank += chunk[before] == id ? 1 : 0;
  const int place = places[blockIdx.x * experts + id] + rank;
  inverse[i] = place;
  source[place] = static_cast<int>(i / k);
}

// Last, the rows: read once by token, and written to each of its places.
extern "C" __global__ void __launch_bounds__(256)
    scatter_tokens(const scalar_t* __restrict__ hidden, const int* __restrict__ inverse,
                   scalar_t* __restrict__ sorted, long long k, long long n) {
  const int vectors = static_cast<int>(n / kVectorWidth);
  const int* places = inverse + blockIdx.x * k;
  for (int v = threadIdx.x; v < vectors; v += blockDim.x) {
    const Vector held = loadVector(hidden + blockIdx.x * n + v * kVectorWidth);
    for (int choice = 0; choice < k; ++choice)
      storeVector(sorted + places[choice] * n + v * kVectorWidth, held);
  }
}

// Or by the sorted row, each reading its token anew.
extern "C" __global__ void __launch_bounds__(256)
    gather_tokens(const scalar_t* __restrict__ hidden, const int* __restrict__ source,
                  scalar_t* __restrict__ sorted, long long n) {
  const long long token = source[blockIdx.x];
  for (long long i = threadIdx.x; i < n; i += blockDim.x) sorted[blockIdx.x * n + i] = hidden[token * n + i];
}

// y[t] = sum over the choices of weight[t, choice] * sorted[inverse[t, choice]].
extern "C" __global__ void __launch_bounds__(256)
    moe_unpermute(const scalar_t* __restrict__ sorted, const int* __restrict__ inverse,
                  const float* __restrict__ weights, scalar_t* __restrict__ y, long long k, long long n) {
  const int vectors = static_cast<int>(n / kVectorWidth);
  const int* places = inverse + blockIdx.x * k;
  const float* weight = weights + blockIdx.x * k;
  const int v = blockIdx.y * blockDim.x + threadIdx.x;
  if (v >= vectors) return;
  float sum[kVectorWidth] = {};
#pragma unroll 8
  for (int choice = 0; choice < k; ++choice) {
    const Vector held = loadVector(sorted + places[choice] * n + v * kVectorWidth);
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i) sum[i] += weight[choice] * toFloat(held.at[i]);
  }
  Vector result;
#pragma unroll
  for (int i = 0; i < kVectorWidth; ++i) fromFloat(sum[i], result.at[i]);
  storeVector(y + blockIdx.x * n + v * kVectorWidth, result);
}

// The operators of it, as an eager framework runs them: gather, weigh, add up.
extern "C" __global__ void unpermute_gather(const scalar_t* __restrict__ sorted,
                                            const int* __restrict__ inverse, scalar_t* __restrict__ rows,
                                            long long tokens, long long k, long long n) {
  forEach(tokens * k * n, [&](long long i) {
    const long long row = quotientOf(i, n);
    rows[i] = sorted[inverse[row] * n + i - row * n];
  });
}

extern "C" __global__ void unpermute_weigh(const scalar_t* __restrict__ rows,
                                           const float* __restrict__ weights, float* __restrict__ weighed,
                                           long long tokens, long long k, long long n) {
  forEach(tokens * k * n, [&](long long i) { weighed[i] = toFloat(rows[i]) * weights[quotientOf(i, n)]; });
}

extern "C" __global__ void unpermute_add(const float* __restrict__ weighed, scalar_t* __restrict__ y,
                                         long long tokens, long long k, long long n) {
  forEach(tokens * n, [&](long long i) {
    const long long token = quotientOf(i, n);
    float sum = 0;
    for (long long choice = 0; choice < k; ++choice) sum += weighed[(token * k + choice) * n + i - token * n];
    fromFloat(sum, y[i]);
  });
}
