// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "cuda/cuda_check.h"

namespace opscope::cuda {

// What CUDA hands out, owned. Destroying ignores errors: after a fault every call fails, and the way out must
// not.
struct DestroyHandle {
  void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
  void operator()(cudaGraph_t graph) const noexcept { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t graph) const noexcept { cudaGraphExecDestroy(graph); }
};
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, DestroyHandle>;

using Stream = Owned<cudaStream_t>;
using Event = Owned<cudaEvent_t>;
using Graph = Owned<cudaGraph_t>;
using GraphExec = Owned<cudaGraphExec_t>;

inline Stream makeStream() {
  cudaStream_t stream = nullptr;
  // Non-blocking: work that others put into the legacy default stream must not order itself against ours.
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  return Stream(stream);
}

inline Event makeEvent(unsigned flags) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "creating an event");
  return Event(event);
}

}  // namespace opscope::cuda
