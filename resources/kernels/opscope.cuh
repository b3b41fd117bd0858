// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kernels here share. The element type of the workload is chosen by the macro OPSCOPE_DTYPE_...;
// integers arrive as long long and real parameters as double. NVRTC has no host headers: only these.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#if defined(OPSCOPE_DTYPE_FLOAT32)
using scalar_t = float;
#elif defined(OPSCOPE_DTYPE_FLOAT16)
using scalar_t = __half;
#elif defined(OPSCOPE_DTYPE_BFLOAT16)
using scalar_t = __nv_bfloat16;
#elif defined(OPSCOPE_DTYPE_FLOAT8_E4M3)
#include <cuda_fp8.h>
using scalar_t = __nv_fp8_e4m3;
#elif defined(OPSCOPE_DTYPE_INT32)
using scalar_t = int;
#elif defined(OPSCOPE_DTYPE_INT64)
using scalar_t = long long;
#elif defined(OPSCOPE_DTYPE_INT8)
using scalar_t = signed char;
#else
#error "Compile with -DOPSCOPE_DTYPE_FLOAT32, -DOPSCOPE_DTYPE_BFLOAT16 or another of the dtypes"
#endif

__device__ __forceinline__ float toFloat(float value) {
  return value;
}
__device__ __forceinline__ float toFloat(__half value) {
  return __half2float(value);
}
__device__ __forceinline__ float toFloat(__nv_bfloat16 value) {
  return __bfloat162float(value);
}

__device__ __forceinline__ void fromFloat(float value, float& to) {
  to = value;
}
__device__ __forceinline__ void fromFloat(float value, __half& to) {
  to = __float2half_rn(value);
}
__device__ __forceinline__ void fromFloat(float value, __nv_bfloat16& to) {
  to = __float2bfloat16_rn(value);
}

#if defined(OPSCOPE_DTYPE_FLOAT8_E4M3)
__device__ __forceinline__ float toFloat(__nv_fp8_e4m3 value) {
  return static_cast<float>(value);
}
__device__ __forceinline__ void fromFloat(float value, __nv_fp8_e4m3& to) {
  to = __nv_fp8_e4m3(value);
}
#endif

__device__ __forceinline__ float infinity() {
  return __int_as_float(0x7f800000);
}

// 2^x in one instruction; results below 2^-126 become zero.
__device__ __forceinline__ float powerOfTwo(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// 16 bytes: the widest load of one thread.
constexpr int kVectorWidth = 16 / sizeof(scalar_t);

struct alignas(16) Vector {
  scalar_t at[kVectorWidth];
};

// Through the read-only path; `from` must be aligned to 16 bytes.
__device__ __forceinline__ Vector loadVector(const scalar_t* from) {
  const uint4 bits = __ldg(reinterpret_cast<const uint4*>(from));
  Vector vector;
  *reinterpret_cast<uint4*>(&vector) = bits;
  return vector;
}

__device__ __forceinline__ void storeVector(scalar_t* to, const Vector& vector) {
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(&vector);
}

// Dividing 64-bit integers costs several times what dividing 32-bit ones does.
__device__ __forceinline__ long long quotientOf(long long index, long long n) {
  if (index <= 0xffffffffll && n <= 0xffffffffll)
    return static_cast<unsigned>(index) / static_cast<unsigned>(n);
  return index / n;
}

__device__ __forceinline__ long long globalThread() {
  return blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
}

// each(i) for four elements per thread, a block apart, so that the accesses of a warp stay side by side.
template <typename Each>
__device__ __forceinline__ void forEach(long long elements, Each each) {
  const long long first = blockIdx.x * 4ll * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const long long at = first + i * static_cast<long long>(blockDim.x);
    if (at < elements) each(at);
  }
}

// y[i] = function(x[i]): four vectors per thread, all asked for before the first is used.
template <typename Function>
__device__ __forceinline__ void mapVectors(const scalar_t* __restrict__ x, scalar_t* __restrict__ y,
                                           long long elements, Function function) {
  constexpr int kEach = 4;
  const long long vectors = elements / kVectorWidth;
  const long long first = blockIdx.x * static_cast<long long>(kEach) * blockDim.x + threadIdx.x;
  Vector held[kEach];
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const long long v = first + h * static_cast<long long>(blockDim.x);
    if (v < vectors) held[h] = loadVector(x + v * kVectorWidth);
  }
#pragma unroll
  for (int h = 0; h < kEach; ++h) {
    const long long v = first + h * static_cast<long long>(blockDim.x);
    if (v >= vectors) continue;
#pragma unroll
    for (int i = 0; i < kVectorWidth; ++i)
      fromFloat(function(toFloat(held[h].at[i]), v * kVectorWidth + i), held[h].at[i]);
    storeVector(y + v * kVectorWidth, held[h]);
  }
  const long long tail = vectors * kVectorWidth + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && tail < elements) fromFloat(function(toFloat(x[tail]), tail), y[tail]);
}

// Over all threads of a block of whole warps, known to every thread. Two of one kind in a kernel need
// different slots, since each has its shared memory.
template <int slot = 0, typename Value, typename Merge>
__device__ __forceinline__ Value blockReduce(Value value, Merge merge, Value empty) {
  __shared__ Value partial[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int step = 16; step > 0; step /= 2) value = merge(value, __shfl_xor_sync(0xffffffffu, value, step));
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  value = lane < warps ? partial[lane] : empty;
  for (int step = 16; step > 0; step /= 2) value = merge(value, __shfl_xor_sync(0xffffffffu, value, step));
  return value;
}

template <int slot = 0>
__device__ __forceinline__ float blockSum(float value) {
  return blockReduce<slot>(value, [](float a, float b) { return a + b; }, 0.0f);
}

template <int slot = 0>
__device__ __forceinline__ float blockMax(float value) {
  return blockReduce<slot>(value, [](float a, float b) { return fmaxf(a, b); }, -infinity());
}

// each(value, index) for the elements from `from` to `to` of a row, by all threads of the block: in vectors
// where the row is aligned, four at a time and all of them asked for before the first is used. `from` is a
// multiple of the vectors' width, and `to` as well if aligned.
template <typename Each>
__device__ __forceinline__ void eachInRange(const scalar_t* row, long long from, long long to, bool aligned,
                                            Each each) {
  constexpr int kEach = 4;
  if (!aligned) {
    for (long long i = from + threadIdx.x; i < to; i += blockDim.x)
      each(toFloat(row[i]), static_cast<int>(i));
    return;
  }
  const int last = static_cast<int>(to / kVectorWidth);
  for (int first = static_cast<int>(from / kVectorWidth) + threadIdx.x; first < last;
       first += kEach * blockDim.x) {
    Vector held[kEach];
#pragma unroll
    for (int h = 0; h < kEach; ++h) {
      const int v = first + h * blockDim.x;
      if (v < last) held[h] = loadVector(row + static_cast<long long>(v) * kVectorWidth);
    }
#pragma unroll
    for (int h = 0; h < kEach; ++h) {
      const int v = first + h * blockDim.x;
      if (v >= last) continue;
#pragma unroll
      for (int i = 0; i < kVectorWidth; ++i) each(toFloat(held[h].at[i]), v * kVectorWidth + i);
    }
  }
}

// A row in the registers of a block: vector h of a thread is number threadIdx.x + h * blockDim.x of the row.
template <int held>
class Row {
 public:
  __device__ __forceinline__ Row(const scalar_t* row, long long columns)
      : vectors_(static_cast<int>(columns / kVectorWidth)) {
#pragma unroll
    for (int h = 0; h < held; ++h)
      if (inside(h)) bits_[h] = __ldg(reinterpret_cast<const uint4*>(row) + place(h));
  }

  // Filled by set().
  __device__ __forceinline__ explicit Row(long long columns)
      : vectors_(static_cast<int>(columns / kVectorWidth)) {}

  __device__ __forceinline__ int place(int h) const { return threadIdx.x + h * blockDim.x; }
  __device__ __forceinline__ bool inside(int h) const { return place(h) < vectors_; }

  // The compiler shall not keep the elements apart from one use to the next: those of 16 bits would take
  // twice the registers.
  __device__ __forceinline__ Vector at(int h) {
    asm volatile("" : "+r"(bits_[h].x), "+r"(bits_[h].y), "+r"(bits_[h].z), "+r"(bits_[h].w));
    Vector vector;
    *reinterpret_cast<uint4*>(&vector) = bits_[h];
    return vector;
  }
  __device__ __forceinline__ void set(int h, const Vector& vector) {
    bits_[h] = *reinterpret_cast<const uint4*>(&vector);
  }

  // each(vector, first column of it)
  template <typename Each>
  __device__ __forceinline__ void eachVector(Each each) {
#pragma unroll
    for (int h = 0; h < held; ++h)
      if (inside(h)) {
        Vector vector = at(h);
        each(vector, place(h) * kVectorWidth);
      }
  }

  // each(value)
  template <typename Each>
  __device__ __forceinline__ void eachValue(Each each) {
    eachVector([&](const Vector& vector, int) {
#pragma unroll
      for (int i = 0; i < kVectorWidth; ++i) each(toFloat(vector.at[i]));
    });
  }

 private:
  uint4 bits_[held];
  int vectors_;
};
