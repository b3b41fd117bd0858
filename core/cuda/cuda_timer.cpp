// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_timer.h"

#include <cmath>

namespace opscope::cuda {

CudaTimer::CudaTimer(cudaStream_t stream)
    : stream_(stream), from_(makeEvent(cudaEventDefault)), to_(makeEvent(cudaEventDefault)) {}

void CudaTimer::start() {
  check(cudaEventRecord(from_.get(), stream_), "starting a timer");
}

void CudaTimer::stop() {
  check(cudaEventRecord(to_.get(), stream_), "stopping a timer");
}

Ns CudaTimer::elapsed() {
  check(cudaEventSynchronize(to_.get()), "waiting for a timer");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, from_.get(), to_.get()), "reading a timer");
  return std::llround(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace opscope::cuda
