// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "session/run.h"
#include "session/sqlite.h"

namespace opscope {

// The table `kept`: a row for each pass of which the session kept less than everything. It came with programs
// later than version 2 of the format; a file without it kept everything.

void createKeptTable(sqlite::Database& db);
void writeKept(sqlite::Database& db, std::int64_t passRow, const Pass& pass);
/// Fills in Pass::kept and Pass::figures. Returns what is damaged, empty when nothing is.
std::string readKept(sqlite::Database& db, std::int64_t passRow, Pass& pass);

}  // namespace opscope
