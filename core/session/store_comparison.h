// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "session/run.h"
#include "session/sqlite.h"

namespace opscope {

/// The tables of a comparison; one that is there stays as it is.
void createComparisonTables(sqlite::Database& database);

/// Replaces what a session keeps of a run's comparison: baseline, noise floor, settling phase and results.
void writeComparison(sqlite::Database& database, std::int64_t runId, const Run& run);

/// Reads it back into a run whose implementations and passes are there already. A session of version 1 has no
/// such tables: the comparison is then made from the passes. False when the rows contradict the run.
bool readComparison(sqlite::Database& database, std::int64_t runId, Run& run);

}  // namespace opscope
