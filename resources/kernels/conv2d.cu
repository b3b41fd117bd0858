// SPDX-License-Identifier: Apache-2.0
// y[image, c_out, r, s] = sum over c_in, i, j of w[c_out, c_in, i, j] x[image, c_in, r stride - padding + i
// dilation, ...], outside of which x is zero; no bias, one group. By plain loops, and as a product of
// matrices.
#include "gemm_tile.cuh"

extern __shared__ uint4 stages[];

namespace {

constexpr int kOutputs = 8;  // channels of a thread of the plain loops

// How many places the kernel has along one side.
__device__ __forceinline__ long long placesOf(long long size, long long kernel, long long stride,
                                              long long padding, long long dilation) {
  return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

}  // namespace

// A thread makes one pixel of eight channels, so that what it reads of x is used eight times.
extern "C" __global__ void __launch_bounds__(128)
    conv2d_direct(const scalar_t* __restrict__ x, const scalar_t* __restrict__ w, scalar_t* __restrict__ y,
                  long long c_in, long long height, long long width, long long c_out, long long kernel,
                  long long stride, long long padding, long long dilation) {
  const long long out_height = placesOf(height, kernel, stride, padding, dilation);
  const long long out_width = placesOf(width, kernel, stride, padding, dilation);
  const int pixels = static_cast<int>(out_height * out_width), side = static_cast<int>(kernel);
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = blockIdx.y * kOutputs;
  if (pixel >= pixels) return;
  const int row = pixel / static_cast<int>(out_width), column = pixel % static_cast<int>(out_width);
  const int top = row * static_cast<int>(stride) - static_cast<int>(padding);
  const int left = column * static_cast<int>(stride) - static_cast<int>(padding);
  const long long perOutput = c_in * kernel * kernel;
  float sums[kOutputs] = {};
  for (int c = 0; c < c_in; ++c) {
    const scalar_t* plane = x + (blockIdx.z * c_in + c) * height * width;
    const scalar_t* weights = w + c * kernel * kernel;
    for (int i = 0; i < side; ++i) {
      const int r = top + i * static_cast<int>(dilation);
      if (r < 0 || r >= height) continue;
      for (int j = 0; j < side; ++j) {
        const int s = left + j * static_cast<int>(dilation);
        if (s < 0 || s >= width) continue;
        const float value = toFloat(plane[r * width + s]);
#pragma unroll
        for (int o = 0; o < kOutputs; ++o)
          if (first + o < c_out) sums[o] += value * toFloat(weights[(first + o) * perOutput + i * side + j]);
      }
    }
  }
#pragma unroll
  for (int o = 0; o < kOutputs; ++o)
    if (first + o < c_out) fromFloat(sums[o], y[(blockIdx.z * c_out + first + o) * pixels + pixel]);
}

// The pixels under each place of the kernel become a column, columns[image, (c, i, j), pixel]: zero in the
// padding, and in rows and pixels that only fill the tiles. A thread makes eight neighbours.
extern "C" __global__ void __launch_bounds__(256)
    gather_columns(const scalar_t* __restrict__ x, scalar_t* __restrict__ columns, long long c_in,
                   long long height, long long width, long long kernel, long long stride, long long padding,
                   long long dilation) {
  const int outWidth = static_cast<int>(placesOf(width, kernel, stride, padding, dilation));
  const int pixels = static_cast<int>(placesOf(height, kernel, stride, padding, dilation)) * outWidth;
  const int padded = (pixels + 7) / 8 * 8, first = (blockIdx.x * blockDim.x + threadIdx.x) * kVectorWidth;
  if (first >= padded) return;
  const int side = static_cast<int>(kernel), by = static_cast<int>(stride), line = blockIdx.y;
  const int c = line / (side * side), i = line / side % side, j = line % side;
  const int rows = static_cast<int>(height), rowLength = static_cast<int>(width);
  const int shiftRow = i * static_cast<int>(dilation) - static_cast<int>(padding);
  const int shiftColumn = j * static_cast<int>(dilation) - static_cast<int>(padding);
  const scalar_t* plane = x + (blockIdx.z * c_in + c) * height * width;
  int row = first / outWidth, column = first - row * outWidth;
  Vector result;
#pragma unroll
  for (int p = 0; p < kVectorWidth; ++p) {
    const int r = row * by + shiftRow, s = column * by + shiftColumn;
    const bool inside = c < c_in && first + p < pixels && r >= 0 && r < rows && s >= 0 && s < rowLength;
    if (inside)
      result.at[p] = plane[r * rowLength + s];
    else
      fromFloat(0, result.at[p]);
    if (++column == outWidth) {
      column = 0;
      ++row;
    }
  }
  storeVector(columns + (blockIdx.z * static_cast<long long>(gridDim.y) + line) * padded + first, result);
}

// The weights with rows of a multiple of 8 elements.
extern "C" __global__ void __launch_bounds__(256)
    pad_weights(const scalar_t* __restrict__ w, scalar_t* __restrict__ weights, long long c_out,
                long long c_in, long long kernel) {
  const long long length = c_in * kernel * kernel, padded = (length + 7) / 8 * 8;
  const long long i = globalThread();
  if (i >= c_out * padded) return;
  const long long row = quotientOf(i, padded), column = i - row * padded;
  scalar_t value;
  fromFloat(0, value);
  if (column < length) value = w[row * length + column];
  weights[i] = value;
}

extern "C" __global__ void __launch_bounds__(128, 2)
    multiply_columns(const scalar_t* __restrict__ weights, const scalar_t* __restrict__ columns,
                     scalar_t* __restrict__ y, long long c_in, long long height, long long width,
                     long long c_out, long long kernel, long long stride, long long padding,
                     long long dilation) {
  const long long out_height = placesOf(height, kernel, stride, padding, dilation);
  const long long out_width = placesOf(width, kernel, stride, padding, dilation);
  const long long length = (c_in * kernel * kernel + 7) / 8 * 8, pixels = out_height * out_width;
  const long long padded = (pixels + 7) / 8 * 8;
  const long long row = static_cast<long long>(blockIdx.y) * kTile;
  const long long column = static_cast<long long>(blockIdx.x) * kTile;
  const TileSums sums =
      gemmTile<false>(weights, length, columns + blockIdx.z * length * padded, padded, c_out, padded, length,
                      row, column, reinterpret_cast<scalar_t*>(stages));
  scalar_t* image = y + blockIdx.z * c_out * pixels;
  sums.forEachPair([&](int r, int c, float first, float second) {
    if (row + r >= c_out) return;
    if (column + c < pixels) fromFloat(first, image[(row + r) * pixels + column + c]);
    if (column + c + 1 < pixels) fromFloat(second, image[(row + r) * pixels + column + c + 1]);
  });
}
