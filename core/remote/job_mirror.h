// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "engine/engine.h"
#include "remote/records.h"

namespace opscope::remote {

/// One job as its client sees it: turns messages into the events that an engine in this process would give,
/// and keeps what has come, for the case that nothing more does. One thread.
class JobMirror {
 public:
  /// The event that a message is, if it is one. Throws ProtocolError for what cannot be.
  std::optional<EngineEvent> take(const Json& message);
  /// The end of a job whose engine is gone: with the passes that had come, if it had started.
  JobFailed broken(const ErrorInfo& why) const;

  bool started() const { return started_ != nullptr; }
  const Progress& progress() const { return progress_; }
  /// How long the engine itself says that it has made no progress.
  std::chrono::nanoseconds still() const { return still_; }

 private:
  std::optional<EngineEvent> takePass(const Json& message);
  std::shared_ptr<const Run> finishedRun(const Json& message) const;

  std::shared_ptr<const Run> started_;
  std::map<std::uint32_t, std::shared_ptr<const Pass>> passes_;  // by the number they were sent under
  std::vector<std::uint32_t> order_;                             // of those that a run's passes are
  PassReceiver receiver_;
  Progress progress_;
  std::chrono::nanoseconds still_{0};
};

}  // namespace opscope::remote
