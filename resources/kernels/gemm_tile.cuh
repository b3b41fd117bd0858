// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tile of 128 x 128 results by 128 threads: slices of 64 along k come through three stages of shared
// memory, and each of the four warps makes 64 x 64 results. Tiles of 64 and 32 rows are for products with few
// of them, which would multiply zeros otherwise; there each warp has all rows of 32 columns.
#include "mma.cuh"

constexpr int kTile = 128;
constexpr int kSlice = 64;
constexpr int kStages = 3;
// Eight elements more than needed, so that the rows of an 8 x 8 matrix lie in different banks.
constexpr int kAcross = kSlice + 8;
constexpr int kAlong = kTile + 8;

// How the four warps share a tile.
template <int rows>
struct WarpShare {
  static constexpr int kWarpsAcross = rows == kTile ? 2 : 4;
  static constexpr int kRows = rows == kTile ? rows / 2 : rows;
  static constexpr int kColumns = kTile / kWarpsAcross;
  static constexpr int kStageElements = (rows + kTile) * kAcross;

  __device__ __forceinline__ static int firstRow() { return threadIdx.x / 32 / kWarpsAcross * kRows; }
  __device__ __forceinline__ static int firstColumn() { return threadIdx.x / 32 % kWarpsAcross * kColumns; }
};

// What a thread has of the tile's results: sums[i][j] is the mma tile at row 16 i, column 8 j of its warp's.
template <int rows = kTile>
struct TileSums {
  using Share = WarpShare<rows>;
  float at[Share::kRows / 16][Share::kColumns / 8][4];

  // each(row, column, first, second): two neighbours of the tile at a time.
  template <typename Each>
  __device__ __forceinline__ void forEachPair(Each each) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < Share::kRows / 16; ++i)
#pragma unroll
      for (int j = 0; j < Share::kColumns / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          each(Share::firstRow() + i * 16 + half * 8 + lane / 4, Share::firstColumn() + j * 8 + lane % 4 * 2,
               at[i][j][2 * half], at[i][j][2 * half + 1]);
  }
};

// a[m, k] has rows lda apart. b is [k, n], or [n, k] with transB, rows ldb apart. k, lda and ldb are
// multiples of 8, and n of b as well without transB. `shared` has kStages stages.
template <bool transB, int rows = kTile>
__device__ __forceinline__ TileSums<rows> gemmTile(const scalar_t* __restrict__ a, long long lda,
                                                   const scalar_t* __restrict__ b, long long ldb, long long m,
                                                   long long n, long long k, long long firstRow,
                                                   long long firstColumn, scalar_t* shared) {
  using Share = WarpShare<rows>;
  constexpr int kStageElements = Share::kStageElements, kChunksA = rows / 16;
  const int lane = threadIdx.x % 32;
  const int slices = static_cast<int>((k + kSlice - 1) / kSlice);

  // Eight chunks of 16 bytes of either matrix (fewer of a where it has fewer rows) are a thread's part of a
  // slice. Where they begin is found out once.
  const int chunk = threadIdx.x % 8 * 8, across = threadIdx.x / 8;    // of a, and of b with transB
  const int column = threadIdx.x % 16 * 8, along = threadIdx.x / 16;  // of b without
  const scalar_t* fromA = a + (firstRow + across) * lda + chunk;
  const scalar_t* fromB =
      transB ? b + (firstColumn + across) * ldb + chunk : b + along * ldb + firstColumn + column;
  const long long stepA = 16 * lda, stepB = transB ? 16 * ldb : 8 * ldb;  // from chunk to chunk
  const long long nextB = transB ? kSlice : kSlice * ldb;                 // from slice to slice
  bool insideA[kChunksA], insideB[8];
#pragma unroll
  for (int h = 0; h < kChunksA; ++h) insideA[h] = firstRow + across + 16 * h < m;
#pragma unroll
  for (int h = 0; h < 8; ++h) {
    insideB[h] = transB ? firstColumn + across + 16 * h < n : firstColumn + column < n;
  }
  scalar_t* const toA = shared + across * kAcross + chunk;
  scalar_t* const toB =
      shared + rows * kAcross + (transB ? across * kAcross + chunk : along * kAlong + column);

  const auto load = [&](int slice) {
    if (slice < slices) {
      const int stage = slice % kStages * kStageElements, first = slice * kSlice;
      const bool insideK = first + chunk < k;
#pragma unroll
      for (int h = 0; h < kChunksA; ++h) {
        const bool inside = insideA[h] && insideK;
        copyAsync(toA + stage + 16 * h * kAcross, inside ? fromA + h * stepA : a, inside);
      }
#pragma unroll
      for (int h = 0; h < 8; ++h) {
        const bool inside = insideB[h] && (transB ? insideK : first + along + 8 * h < k);
        copyAsync(toB + stage + (transB ? 16 * kAcross : 8 * kAlong) * h, inside ? fromB + h * stepB : b,
                  inside);
      }
      fromA += kSlice;
      fromB += nextB;
    }
    commitCopies();
  };

  TileSums<rows> sums{};
#pragma unroll
  for (int stage = 0; stage < kStages - 1; ++stage) load(stage);
  for (int slice = 0; slice < slices; ++slice) {
    waitForCopies<kStages - 2>();
    __syncthreads();
    load(slice + kStages - 1);
    const scalar_t* tileA = shared + slice % kStages * kStageElements;
    const scalar_t* tileB = tileA + rows * kAcross;
#pragma unroll
    for (int step = 0; step < kSlice; step += 16) {
      unsigned left[Share::kRows / 16][4], right[Share::kColumns / 16][4];
#pragma unroll
      for (int i = 0; i < Share::kRows / 16; ++i)
        loadMatrices(left[i],
                     tileA + (Share::firstRow() + i * 16 + lane % 16) * kAcross + step + lane / 16 * 8);
#pragma unroll
      for (int j = 0; j < Share::kColumns / 16; ++j) {
        const int first = Share::firstColumn() + j * 16;
        if (transB)
          loadMatrices(right[j],
                       tileB + (first + lane / 16 * 8 + lane % 8) * kAcross + step + lane / 8 % 2 * 8);
        else
          loadTransposed(right[j], tileB + (step + lane % 16) * kAlong + first + lane / 16 * 8);
      }
#pragma unroll
      for (int i = 0; i < Share::kRows / 16; ++i)
#pragma unroll
        for (int j = 0; j < Share::kColumns / 8; ++j)
          multiply(sums.at[i][j], left[i], right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]);
    }
  }
  return sums;
}

// c[m, n], rows ldc apart; ldc is even.
template <int rows>
__device__ __forceinline__ void storeTile(const TileSums<rows>& sums, scalar_t* c, long long ldc, long long m,
                                          long long n, long long firstRow, long long firstColumn,
                                          float scale = 1.0f) {
  sums.forEachPair([&](int row, int column, float first, float second) {
    if (firstRow + row < m && firstColumn + column < n)
      *reinterpret_cast<unsigned*>(c + (firstRow + row) * ldc + firstColumn + column) =
          packed(first * scale, second * scale);
  });
}
