// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

namespace opscope::cuda {

/// Lets the calling thread run anywhere while it lives. Threads inherit the affinity of the thread that
/// starts them: without this, the worker threads that CUDA and CUPTI start would share the one core of the
/// pinned launch thread and interrupt what is being timed.
class UnpinnedScope {
 public:
  UnpinnedScope();
  ~UnpinnedScope();
  UnpinnedScope(const UnpinnedScope&) = delete;
  UnpinnedScope& operator=(const UnpinnedScope&) = delete;

 private:
  cpu_set_t before_{};
  bool changed_ = false;
};

}  // namespace opscope::cuda
