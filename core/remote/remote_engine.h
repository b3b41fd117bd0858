// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace opscope {

/// When an engine that is another process counts as gone.
struct EngineLimits {
  std::chrono::milliseconds hello{20'000};  ///< to answer the first time: an ssh, a queue of a cluster
  std::chrono::milliseconds silence{5000};  ///< without a sign of life
  /// Without progress of a job, or an answer: a call that never returns. 0: for ever.
  std::chrono::milliseconds still{120'000};
  std::chrono::milliseconds stop{2000};  ///< to stop by itself
};

/// Who an engine is, as it says.
struct EngineIdentity {
  std::string version;
  std::string host;
  std::int64_t pid = 0;
};

/// An engine that is another process: a child, or at the other end of whatever the command is. It is started
/// when it is first needed, and again after it died. Everything it says is read, judged and delivered on a
/// thread of its own; a handler that takes its time makes the engine wait.
///
/// A job whose engine dies fails with EngineDied, with the passes that had come. A job that had told nothing
/// yet is given to a new engine instead, until three have died of it.
class RemoteEngine : public Engine {
 public:
  /// Starts it if it does not run. Throws EngineDied.
  virtual EngineIdentity identity() = 0;
};

/// `words`: the command that speaks the protocol on its standard input and output. Does not start it.
std::unique_ptr<RemoteEngine> makeRemoteEngine(const std::vector<std::string>& words,
                                               const EngineLimits& limits = {});

}  // namespace opscope
