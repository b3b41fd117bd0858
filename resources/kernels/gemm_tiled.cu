// SPDX-License-Identifier: Apache-2.0
// c[m, n] = op(a) op(b), row-major, sums in fp32. A block of 16 x 16 threads makes a tile of 64 x 64 results,
// a thread 4 x 4 of them, from slices of a and b in shared memory.
#include "opscope.cuh"

namespace {

constexpr int kTile = 64;
constexpr int kSlice = 16;
constexpr int kSide = 16;             // threads of a block, each way
constexpr int kEach = kTile / kSide;  // results of a thread, each way

// Element (row, column) of a row-major matrix of `width` columns, or of its transpose; zero outside.
__device__ __forceinline__ float elementOf(const scalar_t* matrix, bool transposed, long long row,
                                           long long column, long long rows, long long columns) {
  if (row >= rows || column >= columns) return 0.0f;
  return toFloat(transposed ? matrix[column * rows + row] : matrix[row * columns + column]);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kSide* kSide, 2)
    gemm_tiled(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b, scalar_t* __restrict__ c,
               long long m, long long n, long long k, long long trans_a, long long trans_b) {
  // One more column than needed, so that the threads of a warp that write a column meet different banks.
  __shared__ float sliceA[kSlice][kTile + 1];
  __shared__ float sliceB[kSlice][kTile + 1];
  const long long firstRow = static_cast<long long>(blockIdx.y) * kTile;
  const long long firstColumn = static_cast<long long>(blockIdx.x) * kTile;
  const int thread = threadIdx.y * kSide + threadIdx.x;
  float sums[kEach][kEach] = {};

  for (long long first = 0; first < k; first += kSlice) {
    // Neighbouring threads load neighbouring elements of memory, which lie along k or across it.
    for (int i = thread; i < kTile * kSlice; i += kSide * kSide) {
      const int along = trans_a ? i / kTile : i % kSlice, across = trans_a ? i % kTile : i / kSlice;
      sliceA[along][across] = elementOf(a, trans_a != 0, firstRow + across, first + along, m, k);
    }
    for (int i = thread; i < kTile * kSlice; i += kSide * kSide) {
      const int along = trans_b ? i % kSlice : i / kTile, across = trans_b ? i / kSlice : i % kTile;
      sliceB[along][across] = elementOf(b, trans_b != 0, first + along, firstColumn + across, k, n);
    }
    __syncthreads();
#pragma unroll
    for (int along = 0; along < kSlice; ++along) {
      float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        left[i] = sliceA[along][threadIdx.y + i * kSide];
        right[i] = sliceB[along][threadIdx.x + i * kSide];
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const long long row = firstRow + threadIdx.y + i * kSide,
                      column = firstColumn + threadIdx.x + j * kSide;
      if (row < m && column < n) fromFloat(sums[i][j], c[row * n + column]);
    }
}
