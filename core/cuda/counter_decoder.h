// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuda/range_profiler_api.h"
#include "trace/counters.h"

namespace opscope::cuda {

/// What is counted and what it means on one chip: the configuration for the device, and the way back from its
/// raw counters to bytes. Any thread, one at a time.
class CounterDecoder {
 public:
  /// Throws NotSupported when the chip lacks a counter, or when it cannot count all of them at once: kernels
  /// would then be replayed, from caches that are not those of the call.
  CounterDecoder(const CuptiApi& cupti, const RangeProfilerApi& api, const std::string& chip);
  ~CounterDecoder();
  CounterDecoder(const CounterDecoder&) = delete;
  CounterDecoder& operator=(const CounterDecoder&) = delete;

  std::span<const std::uint8_t> config() const { return config_; }
  static std::span<const char*> metrics();
  /// One entry per range of the image, in their order. Throws NotSupported when a counter gave no value.
  std::vector<MemoryTraffic> decode(std::span<const std::uint8_t> counterData) const;

 private:
  void require(CUptiResult result, const char* doing) const;
  MemoryTraffic evaluate(std::span<const std::uint8_t> counterData, std::size_t range) const;

  const CuptiApi& cupti_;
  const RangeProfilerApi& api_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::uint8_t> config_;
};

}  // namespace opscope::cuda
