// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "device/telemetry_source.h"

namespace opscope {

/// Reads a device's sensors while a pass runs, on a thread of its own that keeps off the core of the thread
/// that made it: reading takes milliseconds of the driver's time. Between what is asked for it reads by
/// itself, a period after the last reading; it sleeps otherwise. On the launch thread.
class TelemetrySampler {
 public:
  static constexpr std::chrono::milliseconds kPeriod{50};

  /// `source` is not owned; null: there is nothing to read, and every call here does nothing.
  explicit TelemetrySampler(TelemetrySource* source, std::chrono::nanoseconds period = kPeriod);
  /// Ends the thread; a reading under way is waited for.
  ~TelemetrySampler();
  TelemetrySampler(const TelemetrySampler&) = delete;
  TelemetrySampler& operator=(const TelemetrySampler&) = delete;

  /// Asks for a reading now, and returns at once.
  void request();
  /// Waits until every reading that was asked for has been taken.
  void await();

  struct Readings {
    std::vector<TelemetrySample> samples;
    std::optional<DeviceUse> use;  ///< after the last reading
  };
  /// Takes what was asked for, looks who uses the device, ends the thread and hands everything over. Once.
  Readings finish();

 private:
  void loop();
  void stop(bool lookAtUse);

  TelemetrySource* source_;
  std::chrono::nanoseconds period_;
  cpu_set_t launchCores_{};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable taken_;
  std::uint64_t requests_ = 0;
  std::uint64_t served_ = 0;
  bool ending_ = false;
  bool lookAtUse_ = false;
  Readings readings_;   // the sampler thread's until it has ended
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace opscope
