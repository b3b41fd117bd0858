// SPDX-License-Identifier: Apache-2.0
// c[m, n] = a[m, k] b by tensor cores, row-major; b is [k, n], or [n, k] with transB. One product for each
// blockIdx.z.
#include "gemm_tile.cuh"

extern __shared__ uint4 stages[];

template <bool transB>
__global__ void __launch_bounds__(128, 2)
    gemm_mma(const scalar_t* __restrict__ a, const scalar_t* __restrict__ b, scalar_t* __restrict__ c,
             long long m, long long n, long long k) {
  const long long row = static_cast<long long>(blockIdx.y) * kTile;
  const long long column = static_cast<long long>(blockIdx.x) * kTile;
  const long long z = blockIdx.z;
  const TileSums sums = gemmTile<transB>(a + z * m * k, k, b + z * k * n, transB ? k : n, m, n, k, row,
                                         column, reinterpret_cast<scalar_t*>(stages));
  storeTile(sums, c + z * m * n, n, m, n, row, column);
}
