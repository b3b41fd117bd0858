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

// Windows of 2 or 3 at every second place, the first of which begins `side - 2` outside. A thread makes as
// many of a line as a vector has pairs of columns, and of kLines lines, from vectors of the rows under them,
// all asked for before the first is used: the largest of each column first, then of the columns of a window.
// The column to the left is the last of the thread before.
template <int side>
__global__ void __launch_bounds__(256)
    max_pool2d_pairs(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, long long planes,
                     long long height, long long width) {
  constexpr int kPairs = kVectorWidth / 2, kLines = 2, kRows = 2 * (kLines - 1) + side;
  struct alignas(kPairs * sizeof(scalar_t)) Made {
    scalar_t at[kPairs];
  };
  const long long groups = width / kVectorWidth, lines = placesOf(height, side, 2, side - 2);
  const long long stacks = (lines + kLines - 1) / kLines;
  const long long wanted = globalThread(), all = planes * stacks * groups;
  const long long i = min(wanted, all - 1);  // all take part in the exchange
  const long long stackOfAll = quotientOf(i, groups), plane = quotientOf(stackOfAll, stacks);
  const int group = static_cast<int>(i - stackOfAll * groups);
  const int firstLine = static_cast<int>(stackOfAll - plane * stacks) * kLines;
  const int top = firstLine * 2 - (side - 2), rows = static_cast<int>(height);
  const scalar_t* from = x + plane * height * width + group * kVectorWidth;
  const bool needsLeft = side == 3 && group > 0;

  Vector row[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r)  // outside, the row of the edge: it is in the window anyway
    row[r] = loadVector(from + min(max(top + r, 0), rows - 1) * width);
#pragma unroll
  for (int line = 0; line < kLines; ++line) {
    float column[kVectorWidth];
#pragma unroll
    for (int c = 0; c < kVectorWidth; ++c) {
      column[c] = toFloat(row[2 * line].at[c]);
#pragma unroll
      for (int r = 1; r < side; ++r) column[c] = fmaxf(column[c], toFloat(row[2 * line + r].at[c]));
    }
    float left = __shfl_up_sync(0xffffffffu, column[kVectorWidth - 1], 1);
    if (threadIdx.x % 32 == 0 && needsLeft) {
      left = -infinity();
      for (int r = 0; r < side; ++r)
        left = fmaxf(left, toFloat(from[min(max(top + 2 * line + r, 0), rows - 1) * width - 1]));
    }
    Made made;
#pragma unroll
    for (int p = 0; p < kPairs; ++p) {
      float largest = fmaxf(column[2 * p], column[2 * p + 1]);
      if (p > 0 ? side == 3 : needsLeft) largest = fmaxf(largest, p > 0 ? column[2 * p - 1] : left);
      fromFloat(largest, made.at[p]);
    }
    if (wanted < all && firstLine + line < lines)
      *reinterpret_cast<Made*>(y + ((plane * lines + firstLine + line) * groups + group) * kPairs) = made;
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
