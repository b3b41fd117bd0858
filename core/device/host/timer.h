// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "device/device.h"
#include "device/host/streams.h"

namespace opscope::host {

/// Two readings of the clock, taken by the main stream's worker when it comes to them.
class HostTimer : public DeviceTimer {
 public:
  HostTimer(const Device& device, Streams& streams, FailureLatch& failure);
  void start() override;
  void stop() override;
  Ns elapsed() override;

 private:
  struct Readings {
    Ns started = 0;
    Ns stopped = 0;
  };
  const Device& device_;
  Streams& streams_;
  FailureLatch& failure_;
  std::shared_ptr<Readings> readings_;  // shared with markers that are still queued when the timer goes
  std::uint64_t startTicket_ = 0;
  std::uint64_t stopTicket_ = 0;
};

}  // namespace opscope::host
