// SPDX-License-Identifier: Apache-2.0
// y[row] = x[row] in falling order and where each value was, one block per row. A value and its place make
// one number of 64 bits, so that equal values stay in their order although the network is not stable.
#include "opscope.cuh"

namespace {

// Falls where the value rises; minus zero counts as zero.
__device__ __forceinline__ unsigned fallingKey(float value) {
  const unsigned bits = __float_as_uint(value + 0.0f);
  return bits >> 31 ? bits : ~(bits | 0x80000000u);
}

}  // namespace

extern __shared__ unsigned long long pairs[];

template <int width>
__global__ void __launch_bounds__(width < 2048 ? width / 2 : 1024)
    sort_bitonic(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int* __restrict__ indices,
                 long long n) {
  const scalar_t* row = x + blockIdx.x * n;
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    pairs[i] = i < n ? static_cast<unsigned long long>(fallingKey(toFloat(row[i]))) << 32 | i : ~0ull;
  for (int size = 2; size <= width; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < width / 2; i += blockDim.x) {
        const int low = 2 * i - (i & (stride - 1)), high = low + stride;
        const unsigned long long a = pairs[low], b = pairs[high];
        if ((a > b) == ((low & size) == 0)) {
          pairs[low] = b;
          pairs[high] = a;
        }
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const int place = static_cast<int>(pairs[i] & 0xffffffffu);
    indices[blockIdx.x * n + i] = place;
    y[blockIdx.x * n + i] = row[place];
  }
}
