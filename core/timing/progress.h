// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace opscope {

enum class Phase : std::uint8_t {
  Prepare,
  Verify,
  Calibrate,
  WarmUp,
  Measure,
  Flush,
  Attribute,
  Count,
  Done
};
std::string_view nameOf(Phase phase);

/// Where a measurement is. `pass` counts from 1 to `passes`; 0 before the first.
struct Progress {
  Phase phase = Phase::Prepare;
  std::string implementation;
  std::uint32_t pass = 0;
  std::uint32_t passes = 0;
  std::uint32_t iteration = 0;
  std::uint32_t iterations = 0;
  std::int64_t remainingNs = 0;  ///< estimated from the calibration; 0 unknown
};

/// Told on the launch thread, never between the start and the end of an iteration. Must not block.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  virtual void onProgress(const Progress& progress) = 0;
};

}  // namespace opscope
