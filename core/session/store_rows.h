// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "session/run.h"
#include "session/sqlite.h"

namespace opscope {

// The rows of one run and of one pass, in a transaction that is open. All throw sqlite::Failure.

/// Into tables that hold nothing of this run yet but its row and its passes; `complete`: it has ended.
void writeRunRows(sqlite::Database& db, std::int64_t id, const Run& run, bool complete);

/// Everything of a run but its row and its passes: what a run is said to be at its start is only completed at
/// its end.
void deleteRunRows(sqlite::Database& db, std::int64_t id);

void writePass(sqlite::Database& db, std::int64_t run, const Pass& pass);

/// Passes with all that they recorded; `which` is an SQL query for their ids.
void deletePasses(sqlite::Database& db, const std::string& which);

}  // namespace opscope
