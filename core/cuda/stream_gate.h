// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "cuda/cuda_context.h"
#include "device/device.h"
#include "device/watchdog.h"

namespace opscope::cuda {

/// Holds the main stream by a stream memory operation that waits for a word in mapped host memory. Letting
/// go is a store to that word: no CUDA call, so that the watchdog can do it while the launch thread waits
/// inside CUDA. On the launch thread. Streams beside the main one wait for it in every call and are held,
/// too.
class StreamGate {
 public:
  explicit StreamGate(CudaContext& context);
  ~StreamGate();
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  /// Throws NotSupported where the driver or the GPU has no stream memory operations.
  std::unique_ptr<StreamHold> hold(Ns patience);

 private:
  class Hold;
  struct Driver;
  void prepare();

  CudaContext& context_;
  std::unique_ptr<Driver> driver_;
  std::atomic<unsigned>* passed_ =
      nullptr;  // from cudaHostAlloc: the number of the last hold that was let go
  unsigned last_ = 0;
  Watchdog watchdog_;
};

}  // namespace opscope::cuda
