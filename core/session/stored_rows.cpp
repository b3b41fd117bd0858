// SPDX-License-Identifier: Apache-2.0
#include "session/stored_rows.h"

#include <fmt/format.h>

#include <limits>

namespace opscope {

void StoredRows::damaged(const std::string& what) const {
  throw CannotRead(fmt::format("{} is damaged: {}", file_.string(), what),
                   "Restore it from a copy, or measure again.");
}

void StoredRows::requireNumber(std::int64_t number, std::size_t expected, const char* table) const {
  if (number != static_cast<std::int64_t>(expected))
    damaged(fmt::format("row {} of table {} is missing", expected, table));
}

std::uint32_t StoredRows::count32(const sqlite::Statement& row, int column) const {
  const std::int64_t value = row.integer(column);
  require(value >= 0 && value <= std::numeric_limits<std::uint32_t>::max(), "a count is out of range");
  return static_cast<std::uint32_t>(value);
}

std::optional<ErrorInfo> failureAt(const sqlite::Statement& row, int column) {
  if (row.isNull(column)) return std::nullopt;
  return ErrorInfo{
      errorCodeFromName(row.view(column)),
      row.text(column + 1),
      row.text(column + 2),
      {row.text(column + 3), static_cast<int>(row.integer(column + 4)),
       static_cast<int>(row.integer(column + 5))},
  };
}

}  // namespace opscope
