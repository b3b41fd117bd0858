// SPDX-License-Identifier: Apache-2.0
//
// A whole plugin with a CUDA kernel: y = 2 x.
//   nvcc -shared -Xcompiler -fPIC -O3 -I INCLUDE -o libscale_cuda.so scale_cuda.cu
//   opscope run --ops . --op scale_cuda --device cuda:0
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#include "device/opscope_plugin.h"

namespace {

__global__ void twice(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

struct State {
  const float* x;
  float* y;
  long long n;
};

const char* describe() {
  return R"(scale_cuda:
  doc: y = 2 x, from a CUDA plugin.
  signature:
    inputs: {x: {shape: [n]}}
    outputs: {y: {shape: [n]}}
  dtypes: [float32]
  workloads:
    - {label: small, n: 65536}
    - {label: large, n: 67108864}
  roofline: {flops: n, bytes: 2 * n * elem_bytes}
  reference: twice
  implementations:
    plugin: {doc: One element per thread., cuda: {plugin: this}}
)";
}

int prepare(const opscope_request* request, void** made, char* error, size_t size) {
  State state{};
  for (uint32_t i = 0; i < request->tensor_count; ++i) {
    const opscope_tensor& tensor = request->tensors[i];
    if (std::strcmp(tensor.name, "x") == 0)
      state.x = static_cast<const float*>(tensor.data), state.n = tensor.shape[0];
    if (std::strcmp(tensor.name, "y") == 0) state.y = static_cast<float*>(tensor.data);
  }
  if (state.x == nullptr || state.y == nullptr || state.n < 1) {
    std::snprintf(error, size, "there must be tensors x and y");
    return 1;
  }
  *made = new State(state);
  return 0;
}

int call(void* data, void* stream, char* error, size_t size) {
  const State& state = *static_cast<State*>(data);
  twice<<<static_cast<unsigned>((state.n + 255) / 256), 256, 0, static_cast<cudaStream_t>(stream)>>>(
      state.x, state.y, state.n);
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return 0;
  std::snprintf(error, size, "%s", cudaGetErrorString(status));
  return 1;
}

void destroy(void* data) {
  delete static_cast<State*>(data);
}

}  // namespace

extern "C" const opscope_plugin* opscope_plugin_entry(void) {
  static const opscope_plugin plugin = {
      OPSCOPE_PLUGIN_ABI, sizeof(opscope_plugin), "scale_cuda", describe, prepare, call, destroy};
  return &plugin;
}
