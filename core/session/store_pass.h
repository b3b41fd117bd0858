// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "session/run.h"
#include "session/sqlite.h"
#include "session/stored_rows.h"

namespace opscope {

/// The pass in that row of the table `pass`, with all that was kept of it. The implementations of `run` have
/// been read. Throws CannotRead where the file is damaged.
std::shared_ptr<const Pass> readPass(sqlite::Database& db, const StoredRows& stored, std::int64_t row,
                                     const Run& run);

}  // namespace opscope
