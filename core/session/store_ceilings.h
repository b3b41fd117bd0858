// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "session/run.h"
#include "session/sqlite.h"

namespace opscope {

/// Tables of the ceilings that a run's efficiency is of. A file that an earlier program wrote has none: its
/// runs read as without ceilings.
void createCeilingTables(sqlite::Database& db);
/// Replaces what is there of the run.
void writeCeilings(sqlite::Database& db, std::int64_t run, const Run& of);
void readCeilings(sqlite::Database& db, std::int64_t run, Run& into);

}  // namespace opscope
