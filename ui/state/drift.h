// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "session/run.h"

namespace opscope::ui {

/// Busy of every iteration over wall time, and what the device's sensors said meanwhile. Seconds from the
/// run's first pass.
struct DriftPoint {
  double seconds = 0;
  Ns busy = 0;
  IterationRef at;
};

struct DriftPass {
  std::uint32_t pass = 0;  ///< into Run::passes
  std::uint32_t implementation = 0;
  double from = 0;  ///< the stretch of its iterations
  double to = 0;
  double median = 0;  ///< of busy, in ns
};

struct DriftReading {
  double seconds = 0;
  TelemetrySample sample;
};

struct Drift {
  std::vector<std::vector<DriftPoint>> points;  ///< by implementation, in the order they ran
  std::vector<DriftPass> passes;                ///< those with a number
  std::vector<DriftReading> readings;
  double seconds = 0;  ///< where the last pass ends
  bool has(std::optional<int> TelemetrySample::* field) const;
};

/// Of a reading: what held the clocks down against the load, as bits of throttleReasons. An idle device and
/// clocks that somebody asked for do not.
std::uint64_t heldDownBy(const std::optional<std::uint64_t>& reasons);

/// Instants of a pass are put on the wall clock by its end: the last drain is when it finished. Pure.
Drift driftOf(const Run& run);

}  // namespace opscope::ui
