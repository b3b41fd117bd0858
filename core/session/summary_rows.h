// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/run.h"

namespace opscope {

/// A table under the summary: controls, methods. The first column is text, and every other that `text` names.
struct FurtherTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::size_t> text;               ///< columns that read from the left; the others are numbers
  std::vector<std::vector<std::string>> rows;  ///< a row may end early: its last cell is then a sentence
  std::vector<std::string> remarks;
};

/// What a table for people shows of one run, as text: the terminal and Markdown differ in drawing only.
struct SummaryRows {
  struct Row {
    std::string implementation;
    std::vector<std::string> cells;  ///< one per column after the implementation; empty after a failure
    std::string failure;             ///< "RecordsLost: what happened. What to do."
  };
  std::string title;                 ///< op, workload, dtype, dimensions
  std::vector<std::string> context;  ///< how the numbers were made: they mean nothing without
  std::vector<std::string> columns;  ///< the first is the implementation
  std::vector<Row> rows;
  std::vector<FurtherTable> further;
  std::vector<std::string> remarks;  ///< wrong results, what the comparison says, the note, findings
};

SummaryRows summaryRows(const Run& run);

/// Such a table for a terminal and for a pull request, a blank line before it.
std::string drawTable(const FurtherTable& table);
std::string drawMarkdown(const FurtherTable& table);

/// Whether a column holds words, which are read from the left, or numbers.
bool isTextColumn(std::string_view column);

/// Lowest and highest reading of the SM clock over some passes, in MHz.
struct ClockRange {
  int low = 0;
  int high = 0;
};
std::optional<ClockRange> smClock(const std::vector<const Pass*>& passes);

/// "M=2048 N=4096".
std::string dimensionsText(const std::map<std::string, std::int64_t>& dims);
std::string dimensionsText(const Run& run);
/// "driver=580.1; opscope=0.1.0": the whole environment in one line.
std::string environmentText(const Run& run);
/// "verified", "not checked", "WRONG".
std::string_view verificationMark(const VerificationRecord& record);
/// "RecordsLost: what happened. What to do.", in one line.
std::string failureText(const ErrorInfo& failure);
/// What a finished or interrupted run lost to the instrument: the sum over its passes, and whether it is
/// known.
DropCount droppedIn(const Run& run);
std::uint32_t mostAttempts(const Run& run);

}  // namespace opscope
