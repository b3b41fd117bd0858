// SPDX-License-Identifier: Apache-2.0
// y[c, r] = x[r, c], and plain copies to compare it with.
#include "opscope.cuh"

namespace {

constexpr int kTile = 64;
constexpr int kPerRow = kTile / kVectorWidth;  // vectors in a row of the tile
// A row is one word longer than the tile, so that a column's elements lie in different banks.
constexpr int kStride = kTile + 4 / sizeof(scalar_t);

}  // namespace

// Rows of the tile are read and written as whole vectors; it is turned in shared memory.
extern "C" __global__ void __launch_bounds__(256)
    transpose_tiles(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long rows,
                    long long columns) {
  __shared__ scalar_t tile[kTile][kStride];
  const long long firstRow = static_cast<long long>(blockIdx.y) * kTile;
  const long long firstColumn = static_cast<long long>(blockIdx.x) * kTile;
  constexpr int kEach = kTile * kPerRow / 256;
  Vector held[kEach];
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const int i = threadIdx.x + h * 256;
    const long long row = firstRow + i / kPerRow, column = firstColumn + i % kPerRow * kVectorWidth;
    if (row < rows && column < columns) held[h] = loadVector(x + row * columns + column);
  }
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const int i = threadIdx.x + h * 256;
#pragma unroll
    for (int j = 0; j < kVectorWidth; ++j) tile[i / kPerRow][i % kPerRow * kVectorWidth + j] = held[h].at[j];
  }
  __syncthreads();
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const int i = threadIdx.x + h * 256;
    const int across = i / kPerRow, along = i % kPerRow * kVectorWidth;
    const long long row = firstRow + along, column = firstColumn + across;
    if (row >= rows || column >= columns) continue;
    Vector v;
#pragma unroll
    for (int j = 0; j < kVectorWidth; ++j) v.at[j] = tile[along + j][across];
    storeVector(y + column * rows + row, v);
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
