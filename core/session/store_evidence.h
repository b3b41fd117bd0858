// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/run.h"
#include "session/sqlite.h"

namespace opscope {

// What came to the session with format 2 and is no record: what findings rest on, what the device can do, who
// used it. Each stands in tables of its own, so that a session of format 1 gains them by their creation.

/// Creates the tables that are not there.
void createEvidenceTables(sqlite::Database& db);

/// Replaces the rows of a run that its passes do not bring.
void writeRunEvidence(sqlite::Database& db, std::int64_t id, const Run& run);
void writeDeviceUse(sqlite::Database& db, std::int64_t id, const Pass& pass);

/// Fill in what the file has; nothing in a session of format 1. False when a row points at a finding that is
/// not there.
bool readRunEvidence(sqlite::Database& db, std::int64_t id, Run& run);
void readDeviceUse(sqlite::Database& db, std::int64_t id, Pass& pass);

}  // namespace opscope
