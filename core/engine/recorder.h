// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "session/store.h"

namespace opscope {

/// Keeps a job in a session while it is measured, each pass as it ends: a program that dies loses the pass it
/// was in, and no other. Written between passes, on the engine's thread, for the reasons for which an engine
/// sends between passes (docs/architecture.md). One thread at a time.
class Recorder {
 public:
  /// `writer` must outlive it.
  explicit Recorder(SessionWriter& writer) : writer_(writer) {}

  /// What the environment of each run that begins from now on says beside what the engine says.
  void setNotes(Environment notes) { notes_ = std::move(notes); }
  /// What each run that begins from now on says of itself until finish() says the rest.
  void setNote(std::string note) { note_ = std::move(note); }
  /// What cannot be written is remembered, never thrown: it costs the session and not the measurement.
  void onEvent(const EngineEvent& event);
  /// After the last event: the run as it is at its end, which is then on the disk. Also for a run of which no
  /// event came. Throws CannotWrite, what had been remembered among it; the session then has the passes that
  /// could be written.
  void finish(const Run& run);
  /// What could not be written; absent when nothing is the matter.
  const std::optional<ErrorInfo>& failure() const { return failure_; }
  /// Whether anything of a run is in the session.
  bool kept() const { return kept_; }

 private:
  void add(const std::shared_ptr<const Pass>& pass);
  bool hasJustThePassesOf(const Run& run) const;

  SessionWriter& writer_;
  Environment notes_;
  std::string note_;
  std::shared_ptr<const Run> prepared_;
  std::optional<std::int64_t> row_;
  std::vector<std::shared_ptr<const Pass>> passes_;  // that were written
  std::optional<ErrorInfo> failure_;
  bool kept_ = false;
};

}  // namespace opscope
