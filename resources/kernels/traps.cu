// SPDX-License-Identifier: Apache-2.0
// Small kernels for the ops in traps.yaml.
#include "opscope.cuh"

namespace {

__device__ __forceinline__ long long threadIndex() {
  return blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
}

__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace

extern "C" __global__ void twice(const scalar_t* x, scalar_t* y, long long n) {
  const long long i = threadIndex();
  if (i < n) fromFloat(2 * toFloat(x[i]), y[i]);
}

extern "C" __global__ void same(const scalar_t* x, scalar_t* y, long long n) {
  const long long i = threadIndex();
  if (i < n) y[i] = x[i];
}

// Computes first and then keeps its stream busy, so that two of them overlap for certain.
extern "C" __global__ void twice_slowly(const scalar_t* x, scalar_t* y, long long n, long long spin_us) {
  const unsigned long long end = nanoseconds() + 1000ull * spin_us;
  const long long i = threadIndex();
  if (i < n) fromFloat(2 * toFloat(x[i]), y[i]);
  while (nanoseconds() < end) {
  }
}

// The same for two kernels that follow each other: it lets the next one begin at once, and ends only after
// the one before it.
extern "C" __global__ void twice_overlapping(const scalar_t* x, scalar_t* y, long long n, long long spin_us) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  const unsigned long long end = nanoseconds() + 1000ull * spin_us;
  const long long i = threadIndex();
  if (i < n) fromFloat(2 * toFloat(x[i]), y[i]);
  while (nanoseconds() < end) {
  }
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

extern "C" __global__ void twice_but_once(const scalar_t* x, scalar_t* y, long long n) {
  const long long i = threadIndex();
  if (i < n) fromFloat(2 * toFloat(x[i]) + (i == n / 2 ? 1.0f : 0.0f), y[i]);
}
