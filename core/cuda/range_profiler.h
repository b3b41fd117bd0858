// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cuda/counter_decoder.h"
#include "cuda/cupti_process.h"
#include "cuda/range_profiler_api.h"

namespace opscope::cuda {

/// What is counted by itself.
enum class CountedRange : std::uint8_t {
  Kernel,  ///< every kernel; they are serialised. Kernels of a graph are not seen at all
  Whole,   ///< everything between start() and stop(), graphs and copies included
};

/// Counts memory traffic by CUPTI's range profiler, in one pass, so that nothing is replayed. On the launch
/// thread whose context is counted; never while records are collected.
class RangeProfiler {
 public:
  RangeProfiler(CuptiProcess& process, int ordinal) : process_(process), ordinal_(ordinal) {}
  ~RangeProfiler() { disable(); }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Takes the counters, with room for `ranges` kernels. Throws LibraryMissing, DeviceUnavailable,
  /// NotSupported.
  void enable(std::size_t ranges);
  /// Hands the counters back and leaves nothing behind. Idempotent.
  void disable() noexcept;
  /// Empties the counters and configures them: all that takes long, before the caches are prepared.
  void arm(CountedRange counted);
  void start();
  /// What was counted since start(), range by range in the order of launch. With no work in flight. Throws
  /// RecordsLost when there was no room for all kernels.
  std::vector<MemoryTraffic> stop();

 private:
  const CuptiApi& cupti() const { return *process_.api(); }
  const RangeProfilerApi& api() const { return *api_; }
  void require(CUptiResult result, const char* doing) const;
  void load();
  void checkSupported() const;

  CuptiProcess& process_;
  int ordinal_;
  std::optional<RangeProfilerApi> api_;
  std::unique_ptr<CounterDecoder> decoder_;
  bool initialized_ = false;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  CountedRange counted_ = CountedRange::Kernel;
  bool started_ = false;
  std::size_t ranges_ = 0;
  std::vector<std::uint8_t> counterData_;
};

}  // namespace opscope::cuda
