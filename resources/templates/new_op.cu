// SPDX-License-Identifier: Apache-2.0
//
// scalar_t is the workload's dtype; dimensions arrive as long long and parameters as long long or double.
#include "opscope.cuh"

extern "C" __global__ void NEW_OP_SYMBOL_direct(const scalar_t* x, scalar_t* y, long long M, long long N) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < M * N) fromFloat(2 * toFloat(x[i]), y[i]);
}

extern "C" __global__ void NEW_OP_SYMBOL_vectors(const scalar_t* x, scalar_t* y, long long M, long long N) {
  const long long i = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) * kVectorWidth;
  if (i >= M * N) return;
  Vector vector = loadVector(x + i);
  for (scalar_t& value : vector.at) fromFloat(2 * toFloat(value), value);
  *reinterpret_cast<Vector*>(y + i) = vector;
}
