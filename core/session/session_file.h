// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "session/sqlite.h"

namespace opscope {

/// Looks at a file before SQLite does, which would say "not a database" of anything. Throws CannotRead:
/// missing, a folder, unreadable, empty, not SQLite, another program's database, or written by a newer
/// version.
void requireSessionFile(const std::filesystem::path& file);

/// Throws CannotWrite when `file` exists and is something other than a session: saving must not cost anyone a
/// source file whose name was mistyped.
void requireReplaceable(const std::filesystem::path& file);

/// The same two facts as SQLite itself sees them, a journal beside the file included. Throws CannotRead.
void requireSessionSchema(sqlite::Database& database, const std::filesystem::path& file);

/// Opens a session for reading, in the way that its folder, and what a crash left there, allow. Throws
/// CannotRead.
sqlite::Database openSessionForReading(const std::filesystem::path& file);

/// Whether runs can be added to the file where it is.
bool canWriteSession(const std::filesystem::path& file);

}  // namespace opscope
