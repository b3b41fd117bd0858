// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/sqlite.h"
#include "stats/summary.h"

namespace opscope {

/// A summary in ns from the seven columns n, median, p10, p90, min, max, iqr of a row, of which `column` is
/// the first.
inline Summary summaryAt(const sqlite::Statement& row, int column) {
  return {static_cast<std::size_t>(row.integer(column)),
          row.real(column + 1),
          row.real(column + 2),
          row.real(column + 3),
          row.real(column + 4),
          row.real(column + 5),
          row.real(column + 6)};
}

}  // namespace opscope
