// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "session/run.h"

namespace opscope {

/// A session: runs in one SQLite file (docs/session-format.md).
struct Session {
  std::filesystem::path file;  ///< empty until saved
  bool readOnly = false;
  std::vector<std::shared_ptr<const Run>> runs;
  std::vector<std::int64_t> rows = {};  ///< their ids in the file's table of runs
};

/// Writes runs into a session file as they are measured: WAL while it is open, one plain file after close().
/// Not thread-safe; one thread uses it at a time.
class SessionWriter {
 public:
  /// Opens or creates. `keep`: how much of each pass that is added. Throws CannotWrite; CannotRead for a file
  /// that is not an Opscope session.
  explicit SessionWriter(const std::filesystem::path& file, RecordsKept keep = RecordsKept::All);
  ~SessionWriter();  ///< closes; errors are lost, so call close()
  SessionWriter(const SessionWriter&) = delete;
  SessionWriter& operator=(const SessionWriter&) = delete;

  /// Begins a run (its identity and environment); returns its row id. Each step below is one transaction.
  std::int64_t beginRun(const Run& run);
  /// Adds one finished pass.
  void addPass(std::int64_t run, const std::shared_ptr<const Pass>& pass);
  /// Takes the passes of a block away again: it is measured once more.
  void removeBlock(std::int64_t run, std::uint32_t block);
  void removeRun(std::int64_t run);
  /// Does nothing when the row holds another run by now.
  void removeRun(std::int64_t row, const Run& run);
  /// Writes the results, findings and end time; the run's passes must have been added.
  void finishRun(std::int64_t runId, const Run& run);
  /// All three.
  std::int64_t addRun(const Run& run);
  /// What somebody has to say of a run that is there; replaces what was said. Throws BadInput without the
  /// row.
  void setNote(std::int64_t row, const std::string& note);
  /// What was added so far survives a power cut; a crash of the program it survives without.
  void sync();
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a whole session. Throws CannotRead: missing, unreadable, not SQLite, not a session, damaged, or
/// written by a newer version.
Session readSession(const std::filesystem::path& file);

/// Writes all runs into a new file, replacing what is there only once everything is written.
void writeSession(const std::filesystem::path& file, const std::vector<std::shared_ptr<const Run>>& runs);

}  // namespace opscope
