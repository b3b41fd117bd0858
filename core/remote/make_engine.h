// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "remote/remote_engine.h"

namespace opscope {

inline constexpr const char* kLocalEngine = "local";      ///< in this process
inline constexpr const char* kProcessEngine = "process";  ///< a child of this process

/// Where an engine is: "local", "process" (the `opscope serve` beside this program), or a command line that
/// leads to one, as in "ssh gpu-box opscope serve". Throws BadInput: an empty line, a quote without end, op
/// folders for an engine that may be on another machine.
std::unique_ptr<Engine> makeEngine(const std::string& where, const EngineOptions& options = {},
                                   const EngineLimits& limits = {});

/// What a trial of an engine found.
struct EngineTrial {
  EngineIdentity identity;
  std::chrono::nanoseconds answered{0};  ///< from nothing to its hello
  std::vector<DeviceInfo> devices;
  std::vector<Check> checks;
};
/// Starts an engine, asks it what it has and ends it. Throws what keeps it from being used.
EngineTrial tryEngine(const std::string& where, const EngineOptions& options = {},
                      const EngineLimits& limits = {});

}  // namespace opscope
