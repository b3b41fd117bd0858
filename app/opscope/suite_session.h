// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "engine/recorder.h"
#include "session/export.h"
#include "session/store.h"

namespace opscope::cli {

/// The session file of a suite: what it has, and what is added to it, pass by pass.
class SuiteSession {
 public:
  /// Opens or creates. Throws CannotRead, CannotWrite.
  SuiteSession(std::filesystem::path file, RecordsKept records);
  /// Closes; a file that was made here and holds no run goes again.
  ~SuiteSession();
  SuiteSession(const SuiteSession&) = delete;
  SuiteSession& operator=(const SuiteSession&) = delete;

  const std::filesystem::path& file() const { return file_; }
  /// As it was when it was opened.
  const Runs& had() const { return had_; }
  /// What keeps the passes of the next job as they end. `notes`: what the environment of its run says
  /// besides.
  Recorder& recorderWith(const Environment& notes);
  /// Keeps the run of a job that is over, which then survives everything. Throws CannotWrite.
  void keep(const Run& run);
  /// Takes out a run of had(), unless somebody else has meanwhile. Throws CannotWrite.
  void drop(const Run& had);
  /// Throws CannotWrite.
  void close();

 private:
  std::filesystem::path file_;
  Runs had_;
  std::map<const Run*, std::int64_t> rows_;  // of had_, without those that were dropped
  bool created_ = false;
  std::unique_ptr<SessionWriter> writer_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace opscope::cli
