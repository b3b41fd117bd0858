// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "trace/telemetry.h"

namespace opscope {

/// A device's sensors, apart from the device: reading them takes milliseconds that the launch thread does not
/// have. Any thread, at any time while the device is open; one reader at a time.
class TelemetrySource {
 public:
  TelemetrySource() = default;
  TelemetrySource(const TelemetrySource&) = delete;
  TelemetrySource& operator=(const TelemetrySource&) = delete;
  virtual ~TelemetrySource() = default;

  /// One reading, stamped on the clock of the traces; nullopt when no sensor answered.
  virtual std::optional<TelemetrySample> read() noexcept = 0;
  /// The processes on the device, with how much each worked lately (the drivers that tell keep about a
  /// second); nullopt where the device does not tell.
  virtual std::optional<DeviceUse> use() noexcept { return std::nullopt; }
};

}  // namespace opscope
