// SPDX-License-Identifier: Apache-2.0
// One value per row of n: by one block, or by several whose parts another kernel puts together.
#include "opscope.cuh"

namespace {

// What is kept of the values seen so far. b is a second sum, or an index bit for bit.
struct State {
  float a, b;
};

struct Sum {
  using Result = scalar_t;
  static constexpr bool kShifted = false;
  static __device__ State empty() { return {0, 0}; }
  static __device__ void add(State& s, float value, int) { s.a += value; }
  static __device__ State merge(State x, State y) { return {x.a + y.a, 0}; }
  static __device__ void finish(State s, long long, scalar_t& to) { fromFloat(s.a, to); }
};

struct Mean : Sum {
  static __device__ void finish(State s, long long n, scalar_t& to) { fromFloat(s.a / n, to); }
};

// The root of the sum of squares.
struct Norm : Sum {
  static __device__ void add(State& s, float value, int) { s.a += value * value; }
  static __device__ void finish(State s, long long, scalar_t& to) { fromFloat(sqrtf(s.a), to); }
};

// Unbiased. The sums are of differences from the row's first value: without that, a mean that is large beside
// the deviation would cancel all digits.
struct Variance : Sum {
  static constexpr bool kShifted = true;
  static __device__ void add(State& s, float value, int) {
    s.a += value;
    s.b += value * value;
  }
  static __device__ State merge(State x, State y) { return {x.a + y.a, x.b + y.b}; }
  static __device__ void finish(State s, long long n, scalar_t& to) {
    fromFloat((s.b - s.a * s.a / n) / (n > 1 ? n - 1 : 1), to);
  }
};

struct Max : Sum {
  static __device__ State empty() { return {-infinity(), 0}; }
  static __device__ void add(State& s, float value, int) { s.a = fmaxf(s.a, value); }
  static __device__ State merge(State x, State y) { return {fmaxf(x.a, y.a), 0}; }
  static __device__ void finish(State s, long long, scalar_t& to) { fromFloat(s.a, to); }
};

// Where the largest value is; the first of several.
struct ArgMax {
  using Result = long long;
  static constexpr bool kShifted = false;
  static __device__ State empty() { return {-infinity(), __int_as_float(0x7fffffff)}; }
  static __device__ void add(State& s, float value, int index) {
    if (value > s.a || (value == s.a && index < __float_as_int(s.b))) s = {value, __int_as_float(index)};
  }
  static __device__ State merge(State x, State y) {
    add(x, y.a, __float_as_int(y.b));
    return x;
  }
  static __device__ void finish(State s, long long, long long& to) { to = __float_as_int(s.b); }
};

template <typename Reduction>
__device__ __forceinline__ State blockMerge(State state) {
  __shared__ State partial[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const auto mergeWarp = [&] {
    for (int step = 16; step > 0; step /= 2)
      state = Reduction::merge(
          state, {__shfl_xor_sync(0xffffffffu, state.a, step), __shfl_xor_sync(0xffffffffu, state.b, step)});
  };
  mergeWarp();
  if (lane == 0) partial[warp] = state;
  __syncthreads();
  state = lane < warps ? partial[lane] : Reduction::empty();
  mergeWarp();
  return state;
}

template <typename Reduction>
__device__ __forceinline__ State reduceRange(const scalar_t* row, long long from, long long to, bool aligned,
                                             float shift) {
  State state = Reduction::empty();
  eachInRange(row, from, to, aligned,
              [&](float value, int index) { Reduction::add(state, value - shift, index); });
  return blockMerge<Reduction>(state);
}

}  // namespace

template <typename Reduction>
__global__ void __launch_bounds__(512)
    reduce_row(const scalar_t* __restrict__ x, typename Reduction::Result* __restrict__ y, long long n) {
  const scalar_t* row = x + blockIdx.x * n;
  const float shift = Reduction::kShifted ? toFloat(row[0]) : 0.0f;
  const State state = reduceRange<Reduction>(row, 0, n, n % kVectorWidth == 0, shift);
  if (threadIdx.x == 0) Reduction::finish(state, n, y[blockIdx.x]);
}

// Part p of row r is block (p, r); part_elements is a multiple of the vectors' width.
template <typename Reduction>
__global__ void __launch_bounds__(128)
    reduce_part(const scalar_t* __restrict__ x, float* __restrict__ partial, long long n,
                long long part_elements) {
  const scalar_t* row = x + blockIdx.y * n;
  const float shift = Reduction::kShifted ? toFloat(row[0]) : 0.0f;
  const long long from = blockIdx.x * part_elements;
  const State state =
      reduceRange<Reduction>(row, from, min(n, from + part_elements), n % kVectorWidth == 0, shift);
  if (threadIdx.x > 0) return;
  State* to = reinterpret_cast<State*>(partial) + blockIdx.y * static_cast<long long>(gridDim.x) + blockIdx.x;
  *to = state;
}

// One warp per row.
template <typename Reduction>
__global__ void __launch_bounds__(32)
    reduce_parts(const float* __restrict__ partial, typename Reduction::Result* __restrict__ y, long long n,
                 long long part_elements) {
  const long long parts = (n + part_elements - 1) / part_elements;
  const State* from = reinterpret_cast<const State*>(partial) + blockIdx.x * parts;
  State state = Reduction::empty();
  for (long long p = threadIdx.x; p < parts; p += 32) state = Reduction::merge(state, from[p]);
  state = blockMerge<Reduction>(state);
  if (threadIdx.x == 0) Reduction::finish(state, n, y[blockIdx.x]);
}
