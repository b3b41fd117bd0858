// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/engine.h"

namespace opscope::remote {

struct ServeOptions {
  /// Takes a sentence about why the connection ends; a line of the log.
  std::function<void(const std::string&)> log;
  /// Called once when the connection has ended, before the running job is waited for: whoever must not
  /// outlive it starts a clock here.
  std::function<void()> onEnd;
};

// How serve() ends.
inline constexpr int kServed = 0;      ///< the client said goodbye, or closed the connection
inline constexpr int kLostDevice = 3;  ///< the device is lost, and with it this process
inline constexpr int kNotTheProtocol = 5;

/// Speaks the protocol (docs/protocol.md) for `engine` until the connection ends; then stops the job and
/// waits for it. The client's messages come from `in`, this side's go to `out`; neither is closed. A reader
/// that is slow holds up the job between passes, and nothing grows.
int serve(Engine& engine, int in, int out, const ServeOptions& options);

}  // namespace opscope::remote
