// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/engine.h"

namespace opscope {

/// What launchCalls() launched.
struct LaunchedCalls {
  std::string op;
  std::string workload;
  std::string dtype;
  std::string implementation;
  std::string device;
  std::uint64_t seed = 0;
  /// The calls stood between marks that a profiler around this process sees; false where the device has none.
  bool marked = false;
};

/// Prepares the call of a job's one implementation, issues it `warmups` times unseen and then `calls` times
/// between the marks that tell a profiler around this process (ncu --profile-from-start off) what to look at.
/// Measures, verifies and records nothing, and leaves CUPTI alone: it can have one user only, which is that
/// profiler. For a process that does nothing else: it must not have touched a GPU before, and cannot record
/// afterwards. Throws BadInput (not exactly one implementation) and what preparing throws.
LaunchedCalls launchCalls(Job job, std::uint32_t warmups, std::uint32_t calls, const EngineOptions& options);

}  // namespace opscope
