// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensor cores for 16-bit elements, by the instructions that every GPU since sm_80 has: asynchronous copies
// to shared memory, ldmatrix and mma.m16n8k16 with sums in fp32.
#include "copies.cuh"

// Four 8 x 8 matrices; each thread gives the address of one of their 32 rows.
__device__ __forceinline__ void loadMatrices(unsigned (&to)[4], const scalar_t* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(sharedAddress(row)));
}

__device__ __forceinline__ void loadTransposed(unsigned (&to)[4], const scalar_t* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(sharedAddress(row)));
}

// sums[16, 8] += a[16, 16] b[16, 8]
__device__ __forceinline__ void multiply(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if defined(OPSCOPE_DTYPE_FLOAT16)
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// Two neighbours in one register.
__device__ __forceinline__ unsigned packed(float first, float second) {
  struct alignas(4) {
    scalar_t at[2];
  } pair;
  fromFloat(first, pair.at[0]);
  fromFloat(second, pair.at[1]);
  return *reinterpret_cast<unsigned*>(&pair);
}
