// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "device/check.h"
#include "device/nvtx/tap.h"
#include "trace/trace.h"

namespace opscope {

/// Makes the ranges that code in this process marks by NVTX arrive here: names libopscope_nvtx.so, from the
/// first of the folders that has it, in NVTX_INJECTION64_PATH. A value that is there stays: another tool's.
/// At the start of a program, before it has threads; what was marked before is never seen.
void offerRangeTap(const std::vector<std::filesystem::path>& folders);

/// Whether ranges are recorded in this process, for the doctor. Any thread.
Check rangeTapCheck();

/// The ranges of one collection. Where NVTX was not given our library, or somebody else in the process
/// records, there are none. On the launch thread; what it records may be marked on any.
class RangeTap {
 public:
  RangeTap() = default;
  RangeTap(const RangeTap&) = delete;
  RangeTap& operator=(const RangeTap&) = delete;
  ~RangeTap() { discard(); }

  void start(const OpscopeTapClock& clock);
  /// Puts what was recorded since into the trace. Throws OutOfMemory when there was no room for it.
  void stop(Trace& into);
  void discard() noexcept;

 private:
  bool recording_ = false;
};

}  // namespace opscope
