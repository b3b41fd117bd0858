// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asynchronous copies to shared memory, which every GPU since sm_80 has.
#include "opscope.cuh"

__device__ __forceinline__ unsigned sharedAddress(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// 16 bytes; zeros when not `inside`, and then nothing is read.
__device__ __forceinline__ void copyAsync(void* shared, const void* global, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(sharedAddress(shared)), "l"(global),
               "r"(inside ? 16 : 0));
}

__device__ __forceinline__ void commitCopies() {
  asm volatile("cp.async.commit_group;");
}

// Until at most `pending` of the groups committed last are still under way.
template <int pending>
__device__ __forceinline__ void waitForCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// A row on its way to shared memory while the block still works on another one. Each thread copies the
// vectors that it takes itself, those of Row<held>, so that none has to wait for the others.
template <int held>
class RowAhead {
 public:
  __device__ __forceinline__ RowAhead(uint4* shared, long long columns)
      : shared_(shared), vectors_(static_cast<int>(columns / kVectorWidth)) {}

  // After the row before was taken. commitCopies() makes it a group that waitForCopies() waits for.
  __device__ __forceinline__ void ask(const scalar_t* row) const {
#pragma unroll
    for (int h = 0; h < held; ++h) {
      const int v = threadIdx.x + h * blockDim.x;
      // What was taken must have been read before it is written over.
      if (v < vectors_)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(shared_ + v)),
                     "l"(row + static_cast<long long>(v) * kVectorWidth)
                     : "memory");
    }
  }
  __device__ __forceinline__ Vector take(int h) const {
    const uint4 bits = shared_[threadIdx.x + h * blockDim.x];
    return *reinterpret_cast<const Vector*>(&bits);
  }

 private:
  uint4* shared_;
  int vectors_;
};
