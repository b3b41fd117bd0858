// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace opscope::ui {

/// One column over the rows 0..n of some data that the functions hold on to. The functions are called on any
/// thread, several at once: they read and own what they read.
struct TableColumn {
  QString title;
  QString hint;  ///< what the figure means
  std::function<QString(std::size_t row)> text;
  /// What is sorted by; empty: the text. A number makes the column right-aligned.
  std::function<double(std::size_t row)> number = {};
  std::function<QVariant(std::size_t row)> colour = {};  ///< a mark beside the text; may be empty
  // What makes a table of a million rows quick to search and to sort; all may be left out.
  /// Rows with the same key have the same text: a cause, the name of a kernel.
  std::function<std::uint32_t(std::size_t row)> key = {};
  /// The same, of a number: numbers with the same key have the same text.
  std::function<std::uint64_t(double number)> numberKey = {};
  bool digits = false;   ///< its texts hold digits, signs and a point alone
  bool searched = true;  ///< a filter looks into it
  bool whole = false;    ///< it is read, not skimmed: rather over several lines than cut
};

/// What of a table is to be shown, and in which order.
struct TableQuery {
  QString filter;  ///< rows in which any cell contains it, ignoring case; empty: all
  int sortColumn = -1;
  bool descending = false;
  bool operator==(const TableQuery&) const = default;
};

/// The rows to be shown, in order; equal ones stay as they were. Pure; any thread.
std::vector<std::uint32_t> arrangeRows(std::size_t rows, const std::vector<TableColumn>& columns,
                                       const TableQuery& query);

}  // namespace opscope::ui
