// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

namespace opscope {

/// Lets the calling thread run anywhere while it lives. Threads and processes inherit the affinity of the
/// thread that starts them: without this, the workers that CUDA and CUPTI start would share the one core of
/// the pinned launch thread and interrupt what is being timed, and those of a program that brings its own
/// calls would have one core between them for as long as they live.
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

}  // namespace opscope
