// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/recorder.h"
#include "options.h"
#include "session/export.h"
#include "session/store.h"
#include "session/summary_rows.h"

namespace opscope::cli {

/// What stands for standard output where a file is named.
inline constexpr const char* kStandardOutput = "-";

/// Throws CannotWrite.
void printStandardOutput(const std::string& text);

/// What is printed and written of several runs taken together.
struct Report {
  std::string table;     ///< for a terminal
  std::string markdown;  ///< for a pull request
  std::string csv;
  std::string csvName;  ///< in a folder that --csv names
  std::string json;     ///< where the report has one
};

/// The table and the files that the user asked for. Looks at every path before anything is measured, and
/// writes what it can afterwards: one file that cannot be written costs neither the table nor the other
/// files.
class Outputs {
 public:
  /// Throws CannotWrite (or CannotRead, of a --session file that is no session) when a path will not do.
  Outputs(const OutputOptions& options, bool quiet);
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// What each run that is measured is to say.
  const std::string& note() const { return options_.note; }
  /// What keeps passes in the session as they end; null without a session.
  Recorder* recorder() { return recorder_.get(); }
  /// Keeps a run in the session at once, so that a later crash does not lose it.
  void keep(const Run& run);
  /// Prints the table and writes the files; `below` stands under the runs, on the terminal and in Markdown.
  void write(const Runs& runs, const std::optional<FurtherTable>& below = {});
  /// The files alone, without the table.
  void writeFiles(const Runs& runs, const std::optional<FurtherTable>& below = {});
  /// The same of a report.
  void write(const Report& report);
  /// True when something could not be written; it has been said.
  bool failed() const { return failed_; }
  /// True when an export goes to standard output, which then is for nothing else.
  bool usesStandardOutput() const;

 private:
  template <class Work>
  void attempt(Work work);
  void closeSession();
  void printTable(const std::string& table);
  void writeText(const std::string& target, const std::string& text);
  void wrote(const std::filesystem::path& file) const;

  OutputOptions options_;
  bool quiet_;
  bool failed_ = false;
  bool createdSession_ = false;
  bool sessionIsWhole_ = true;
  std::unique_ptr<SessionWriter> session_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace opscope::cli
