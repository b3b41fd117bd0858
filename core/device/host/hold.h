// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "device/device.h"
#include "device/host/streams.h"
#include "device/watchdog.h"

namespace opscope::host {

/// A command in the main stream that ends when it is told to. The other streams begin what they are given
/// after the main one has come there, so it holds them, too.
class HostHold final : public StreamHold {
 public:
  HostHold(Streams& streams, Watchdog& watchdog, Ns patience);
  ~HostHold() override { release(); }
  bool release() override;

 private:
  Watchdog& watchdog_;
  std::shared_ptr<std::atomic<bool>> open_;
  bool released_ = false;
  bool heldUntilReleased_ = false;
};

}  // namespace opscope::host
