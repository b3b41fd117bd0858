// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "session/sqlite.h"
#include "trace/trace.h"

namespace opscope {

// What the op marked of itself (Trace::ranges).

/// Creates the table where it is not there.
void createRangeTable(sqlite::Database& db);
void writeRanges(sqlite::Database& db, std::int64_t passRow, const Trace& trace);
/// None in a file that lacks the table. Says what is wrong with the rows; empty when nothing is. The names
/// of the trace must have been read.
std::string readRanges(sqlite::Database& db, std::int64_t passRow, Trace& trace);

}  // namespace opscope
