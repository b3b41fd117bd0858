// SPDX-License-Identifier: Apache-2.0
// y[c, r] = x[r, c], and plain copies to compare it with.
#include "opscope.cuh"

namespace {

constexpr int kTile = 64;
constexpr int kPack = 4 / sizeof(scalar_t);  // rows whose elements of one column make a word
constexpr int kWords = kTile / kPack;        // of a column of the tile
constexpr int kChunks = kWords / 4;          // of 16 bytes, of a column of the tile
constexpr int kThreads = 256;

// Where word `word` of a column stands. Chunks change places by the column, so that neither the words that a
// warp puts down (of 8 vectors and 4 rows of words) nor the chunks that it takes up share a bank.
__device__ __forceinline__ int placeOf(int column, int word) {
  return ((word / 4) ^ (column / kVectorWidth % 8)) * 4 + word % 4;
}

}  // namespace

// A tile is read in vectors of its rows, turned in shared memory and written in vectors of its columns.
extern "C" __global__ void __launch_bounds__(kThreads)
    transpose_tiles(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long rows,
                    long long columns) {
  __shared__ __align__(16) unsigned tile[kTile][kWords];
  const long long firstRow = static_cast<long long>(blockIdx.y) * kTile;
  const long long firstColumn = static_cast<long long>(blockIdx.x) * kTile;
  constexpr int kPerRow = kTile / kVectorWidth;
  constexpr int kReads = kWords * kPerRow / kThreads;
  Vector held[kReads][kPack];
#pragma unroll
  for (int h = 0; h < kReads; ++h) {
    const int i = threadIdx.x + h * kThreads;
    const int word = i / 8 % kWords, vector = i % 8 + i / (8 * kWords) * 8;
    const long long column = firstColumn + vector * kVectorWidth;
#pragma unroll
    for (int p = 0; p < kPack; ++p) {
      const long long row = firstRow + word * kPack + p;
      if (row < rows && column < columns) held[h][p] = loadVector(x + row * columns + column);
    }
  }
#pragma unroll
  for (int h = 0; h < kReads; ++h) {
    const int i = threadIdx.x + h * kThreads;
    const int word = i / 8 % kWords, vector = i % 8 + i / (8 * kWords) * 8;
#pragma unroll
    for (int j = 0; j < kVectorWidth; ++j) {
      union {
        scalar_t elements[kPack];
        unsigned bits;
      } packed;
#pragma unroll
      for (int p = 0; p < kPack; ++p) packed.elements[p] = held[h][p].at[j];
      const int column = vector * kVectorWidth + j;
      tile[column][placeOf(column, word)] = packed.bits;
    }
  }
  __syncthreads();
#pragma unroll
  for (int h = 0; h < kTile * kChunks / kThreads; ++h) {
    const int i = threadIdx.x + h * kThreads;
    const int across = i / 8 % kTile, chunk = i % 8 + i / (8 * kTile) * 8;
    const long long row = firstRow + chunk * kVectorWidth, column = firstColumn + across;
    if (row < rows && column < columns)
      *reinterpret_cast<uint4*>(y + column * rows + row) =
          *reinterpret_cast<const uint4*>(&tile[across][placeOf(across, chunk * 4)]);
  }
}

// Any size, an element per thread: reads run along memory, writes jump by whole rows.
extern "C" __global__ void __launch_bounds__(256)
    transpose_scalar(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long rows,
                     long long columns) {
  const long long i = globalThread();
  if (i >= rows * columns) return;
  const long long row = quotientOf(i, columns);
  y[(i - row * columns) * rows + row] = x[i];
}

extern "C" __global__ void __launch_bounds__(256)
    copy_vectors(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n) {
  mapVectors(x, y, n, [](float value, long long) { return value; });
}

extern "C" __global__ void __launch_bounds__(256)
    copy_scalar(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long n) {
  const long long i = globalThread();
  if (i < n) y[i] = x[i];
}
