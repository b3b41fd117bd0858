// SPDX-License-Identifier: Apache-2.0
#include "device/host/timer.h"

#include "base/error.h"
#include "device/host/clock.h"

namespace opscope::host {

HostTimer::HostTimer(const Device& device, Streams& streams, FailureLatch& failure)
    : device_(device), streams_(streams), failure_(failure), readings_(std::make_shared<Readings>()) {}

void HostTimer::start() {
  device_.checkThread();
  stopTicket_ = 0;
  startTicket_ =
      streams_.main().push({.name = "timer", .run = [to = readings_] { to->started = steadyNow(); }});
}

void HostTimer::stop() {
  device_.checkThread();
  if (startTicket_ == 0) throw InternalError("A device timer was stopped before it was started");
  stopTicket_ =
      streams_.main().push({.name = "timer", .run = [to = readings_] { to->stopped = steadyNow(); }});
}

Ns HostTimer::elapsed() {
  device_.checkThread();
  if (stopTicket_ == 0) throw InternalError("A device timer was read before it was stopped");
  streams_.main().waitFor(stopTicket_);
  failure_.check();
  return readings_->stopped - readings_->started;
}

}  // namespace opscope::host
