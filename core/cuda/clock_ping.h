// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cuda/cuda_context.h"
#include "cuda/program_loader.h"
#include "trace/trace.h"

namespace opscope::cuda {

/// A kernel that says that it runs and waits for the host to let it go, through mapped host memory. On the
/// launch thread. Where the kernel cannot be compiled there are no pings.
class ClockPing {
 public:
  explicit ClockPing(CudaContext& context);
  ~ClockPing();
  ClockPing(const ClockPing&) = delete;
  ClockPing& operator=(const ClockPing&) = delete;

  bool available() const { return mailbox_ != nullptr; }
  /// One ping; `now` reads the clock of the traces. A kernel that does not answer in time gives a mark that
  /// is true and says little. Throws DeviceLost.
  PingMark ping(const std::function<Ns()>& now);

 private:
  struct Mailbox;
  CudaContext& context_;
  std::optional<LoadedProgram> program_;
  cudaKernel_t kernel_ = nullptr;
  Mailbox* mailbox_ = nullptr;  // from cudaHostAlloc
};

}  // namespace opscope::cuda
