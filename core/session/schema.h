// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "session/sqlite.h"
#include "trace/records.h"

namespace opscope {

/// "Opsc": what SQLite's application_id says of a session file.
inline constexpr std::int32_t kSessionApplicationId = 0x4F707363;
/// SQLite's user_version. Rises when a reader of the version before could not read the file any more.
inline constexpr int kSessionVersion = 2;

/// Creates all tables and views in an empty database (docs/session-format.md describes them).
void createSchema(sqlite::Database& database);

/// Of these the tables that a run needs whose passes lie elsewhere, in a transaction that is open.
void createRunSchema(sqlite::Database& database);
/// Gives a session of an older version, or of an older program of this one, the tables that came since,
/// before anything is added to it.
void upgradeSchema(sqlite::Database& database);
/// A reader leaves out what came after this version.
int sessionVersionOf(sqlite::Database& database);

/// The words that stand in the columns `kind`; an unknown word reads as Other.
std::string_view nameOf(MemopKind kind);
std::string_view nameOf(LaunchKind kind);
MemopKind memopKindFromName(std::string_view name);
LaunchKind launchKindFromName(std::string_view name);

}  // namespace opscope
