// SPDX-License-Identifier: Apache-2.0
// c[rows of g] = a[rows of g] w[g]' for every group g, whose rows are those from offsets[g] to offsets[g +
// 1]: w[groups, n, k], all row-major. One launch of as many blocks as fit onto the GPU at one time; each goes
// through the tiles of all groups in steps of the grid, so that no group waits for another one's end. How
// many rows a group has is known on the GPU alone, as after a gate has chosen the experts.
#include "gemm_tile.cuh"

namespace {

constexpr int kMostGroups = 512;
constexpr int kEach = kMostGroups / 128;

// begins[g]: the number of rows of tiles before group g's, for g up to the number of groups. By 128 threads.
template <int rows>
__device__ __forceinline__ void placeGroups(const long long* offsets, int groups, int* begins) {
  __shared__ int sums[4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = threadIdx.x * kEach;
  int tiles[kEach], all = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int g = first + i;
    tiles[i] = g < groups ? static_cast<int>((offsets[g + 1] - offsets[g] + rows - 1) / rows) : 0;
    all += tiles[i];
  }
  int through = all;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, through, step);
    if (lane >= step) through += other;
  }
  if (lane == 31) sums[warp] = through;
  __syncthreads();
  int before = through - all;
  for (int w = 0; w < warp; ++w) before += sums[w];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    begins[first + i] = before;
    before += tiles[i];
  }
  if (threadIdx.x == 127) begins[kMostGroups] = before;
  __syncthreads();
}

}  // namespace

extern __shared__ uint4 stages[];

template <int rows>
__global__ void __launch_bounds__(128, rows == 32 ? 3 : 2)
    grouped_gemm(const scalar_t* __restrict__ a, const scalar_t* __restrict__ w,
                 const long long* __restrict__ offsets, scalar_t* __restrict__ c, long long groups,
                 long long n, long long k) {
  __shared__ int begins[kMostGroups + 1];
  placeGroups<rows>(offsets, static_cast<int>(groups), begins);
  const int across = static_cast<int>((n + kTile - 1) / kTile), tiles = begins[groups] * across;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int group =
        0;  // the last one that begins at this tile or before; those without rows begin where the next does
    for (int step = kMostGroups / 2; step > 0; step /= 2)
      if (group + step < groups && begins[group + step] * across <= tile) group += step;
    // The tiles of one column follow each other: they share a tile of the weights, the larger matrix.
    const int within = tile - begins[group] * across, down = begins[group + 1] - begins[group];
    const long long first = offsets[group], here = offsets[group + 1] - first;
    const long long row = static_cast<long long>(within % down) * rows;
    const long long column = static_cast<long long>(within / down) * kTile;
    const TileSums<rows> sums = gemmTile<true, rows>(a + first * k, k, w + group * n * k, k, here, n, k, row,
                                                     column, reinterpret_cast<scalar_t*>(stages));
    storeTile(sums, c + first * n, n, here, n, row, column);
    __syncthreads();  // before the next tile's slices come to where this one's are still read
  }
}
