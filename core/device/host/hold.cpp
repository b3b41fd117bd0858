// SPDX-License-Identifier: Apache-2.0
#include "device/host/hold.h"

namespace opscope::host {

HostHold::HostHold(Streams& streams, Watchdog& watchdog, Ns patience)
    : watchdog_(watchdog), open_(std::make_shared<std::atomic<bool>>(false)) {
  const auto letGo = [open = open_] {
    open->store(true);
    open->notify_all();
  };
  watchdog_.arm(patience, letGo);
  streams.main().push({.name = "hold", .run = [open = open_] { open->wait(false); }});
}

bool HostHold::release() {
  if (released_) return heldUntilReleased_;
  released_ = true;
  heldUntilReleased_ = watchdog_.disarm();
  open_->store(true);
  open_->notify_all();
  return heldUntilReleased_;
}

}  // namespace opscope::host
