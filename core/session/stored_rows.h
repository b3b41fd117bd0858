// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "session/sqlite.h"

namespace opscope {

/// What rows must be to be read. What a view will use as an index must lie inside what it indexes: a file is
/// input, and damage must end here, as CannotRead.
class StoredRows {
 public:
  /// `file` is what the failure names.
  explicit StoredRows(std::filesystem::path file) : file_(std::move(file)) {}

  [[noreturn]] void damaged(const std::string& what) const;
  void require(bool holds, const char* what) const {
    if (!holds) damaged(what);
  }
  /// Rows that are numbered from 0 without a hole.
  void requireNumber(std::int64_t number, std::size_t expected, const char* table) const;
  std::uint32_t count32(const sqlite::Statement& row, int column) const;

 private:
  std::filesystem::path file_;
};

/// From the six columns code, message, remedy, file, line, column of a row, of which `column` is the first.
/// Nothing where the first is NULL.
std::optional<ErrorInfo> failureAt(const sqlite::Statement& row, int column);

}  // namespace opscope
