// SPDX-License-Identifier: Apache-2.0
// y[plane, r, c] = the largest of a window of x[plane], whose corner is at (r stride - padding, c stride -
// padding).
#include "opscope.cuh"

namespace {

// How many places the window has along one side.
__device__ __forceinline__ long long placesOf(long long size, long long window, long long stride,
                                              long long padding) {
  return (size + 2 * padding - window) / stride + 1;
}

}  // namespace

// A block makes some lines of a plane, a warp at a time one of them. The rows of x under them come to shared
// memory once, in vectors where they are aligned; windows overlap there and not in memory. `side` and `step`
// are those of windows that are common, or 0: then they are known at run time alone.
template <int side, int step>
__global__ void __launch_bounds__(256)
    max_pool2d_lines(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long height,
                     long long width, long long window, long long stride, long long padding,
                     long long lines) {
  extern __shared__ uint4 buffer[];
  auto* tile = reinterpret_cast<scalar_t*>(buffer);
  const int size = side > 0 ? side : static_cast<int>(window),
            by = side > 0 ? step : static_cast<int>(stride);
  const int rows = static_cast<int>(height), columns = static_cast<int>(width),
            margin = static_cast<int>(padding);
  const int outHeight = (rows + 2 * margin - size) / by + 1,
            outWidth = (columns + 2 * margin - size) / by + 1;
  const int firstLine = blockIdx.x * static_cast<int>(lines);
  const int here = min(static_cast<int>(lines), outHeight - firstLine);
  const int top = firstLine * by - margin;
  const int firstRow = max(top, 0), lastRow = min(top + (here - 1) * by + size, rows);
  const scalar_t* from = x + (blockIdx.y * height + firstRow) * width;
  const int elements = (lastRow - firstRow) * columns;
  if (columns % kVectorWidth == 0) {
#pragma unroll 4
    for (int v = threadIdx.x; v < elements / kVectorWidth; v += 256)
      storeVector(tile + v * kVectorWidth, loadVector(from + v * kVectorWidth));
  } else {
    for (int i = threadIdx.x; i < elements; i += 256) tile[i] = from[i];
  }
  __syncthreads();
  for (int line = threadIdx.x / 32; line < here; line += 8) {
    const int upper = max(top + line * by, 0), bottom = min(top + line * by + size, rows);
    scalar_t* to = y + (blockIdx.y * static_cast<long long>(outHeight) + firstLine + line) * outWidth;
    const scalar_t* first = tile + (upper - firstRow) * columns;
    for (int place = threadIdx.x % 32; place < outWidth; place += 32) {
      const int left = place * by - margin;
      float largest = -infinity();
      const scalar_t* row = first + left;
      if (left >= 0 && left + size <= columns) {
        for (int r = upper; r < bottom; ++r, row += columns)
#pragma unroll
          for (int c = 0; c < size; ++c) largest = fmaxf(largest, toFloat(row[c]));
      } else {
        for (int r = upper; r < bottom; ++r, row += columns)
          for (int c = max(-left, 0); c < min(size, columns - left); ++c)
            largest = fmaxf(largest, toFloat(row[c]));
      }
      fromFloat(largest, to[place]);
    }
  }
}

// A thread per window, which reads from memory.
extern "C" __global__ void __launch_bounds__(256)
    max_pool2d_direct(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long planes,
                      long long height, long long width, long long window, long long stride,
                      long long padding) {
  const long long out_height = placesOf(height, window, stride, padding);
  const long long out_width = placesOf(width, window, stride, padding);
  const long long i = globalThread();
  if (i >= planes * out_height * out_width) return;
  const long long line = quotientOf(i, out_width), plane = quotientOf(line, out_height);
  const int top = static_cast<int>((line - plane * out_height) * stride - padding);
  const int left = static_cast<int>((i - line * out_width) * stride - padding);
  const int bottom = min(top + static_cast<int>(window), static_cast<int>(height));
  const int right = min(left + static_cast<int>(window), static_cast<int>(width));
  const scalar_t* from = x + plane * height * width;
  float largest = -infinity();
  for (int r = max(top, 0); r < bottom; ++r)
    for (int c = max(left, 0); c < right; ++c) largest = fmaxf(largest, toFloat(from[r * width + c]));
  fromFloat(largest, y[i]);
}

// Along the rows first, then along the columns of what that gives: fewer comparisons, one more trip through
// memory.
extern "C" __global__ void __launch_bounds__(256)
    max_pool2d_rows(const scalar_t* __restrict__ x, scalar_t* __restrict__ rows, long long planes,
                    long long height, long long width, long long window, long long stride,
                    long long padding) {
  const long long out_width = placesOf(width, window, stride, padding);
  const long long i = globalThread();
  if (i >= planes * height * out_width) return;
  const long long line = quotientOf(i, out_width);
  const int left = static_cast<int>((i - line * out_width) * stride - padding);
  const int right = min(left + static_cast<int>(window), static_cast<int>(width));
  float largest = -infinity();
  for (int c = max(left, 0); c < right; ++c) largest = fmaxf(largest, toFloat(x[line * width + c]));
  fromFloat(largest, rows[i]);
}

extern "C" __global__ void __launch_bounds__(256)
    max_pool2d_columns(const scalar_t* __restrict__ rows, scalar_t* __restrict__ y, long long planes,
                       long long height, long long width, long long window, long long stride,
                       long long padding) {
  const long long out_height = placesOf(height, window, stride, padding);
  const long long out_width = placesOf(width, window, stride, padding);
  const long long i = globalThread();
  if (i >= planes * out_height * out_width) return;
  const long long line = quotientOf(i, out_width), plane = quotientOf(line, out_height);
  const int top = static_cast<int>((line - plane * out_height) * stride - padding);
  const int bottom = min(top + static_cast<int>(window), static_cast<int>(height));
  float largest = -infinity();
  for (int r = max(top, 0); r < bottom; ++r)
    largest = fmaxf(largest, toFloat(rows[(plane * height + r) * out_width + i - line * out_width]));
  fromFloat(largest, y[i]);
}
