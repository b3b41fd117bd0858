// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "session/export.h"
#include "session/store.h"

namespace opscope::cli {

/// The session file of a suite: what it has, and what is added to it run by run.
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
  /// Adds a run, which then survives everything. Throws CannotWrite.
  void keep(const Run& run);
  /// Throws CannotWrite.
  void close();

 private:
  std::filesystem::path file_;
  Runs had_;
  bool holdsRuns_ = false;
  bool created_ = false;
  std::unique_ptr<SessionWriter> writer_;
};

}  // namespace opscope::cli
