// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "session/run.h"
#include "session/sqlite.h"

namespace opscope {

// The tables of controls and methods: control_pass, prequeued, prequeued_gap, tracing_cost, method. They came
// with version 2 of the format; a file without them has none.

/// Those that are not there yet.
void createControlTables(sqlite::Database& db);

void markControlPass(sqlite::Database& db, std::int64_t run, std::int64_t passRow, const Pass& pass);
void writeControlRows(sqlite::Database& db, std::int64_t run, const Run& from);

/// Pass::control of a stored pass.
std::string controlOfPass(sqlite::Database& db, std::int64_t passRow);
/// Fills in what the implementations of `into` have of controls and methods; its controls have been read.
/// Returns what is damaged, empty when nothing is.
std::string readControlRows(sqlite::Database& db, std::int64_t run, Run& into);

}  // namespace opscope
