// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "session/run.h"
#include "session/sqlite.h"

namespace opscope {

/// Where they are missing: in a new file, and in one from before there were counters.
void createCounterTables(sqlite::Database& database);

/// Writes what the counters of a run said, and why they did not where they refused. Replaces what was there.
void writeCounters(sqlite::Database& database, std::int64_t run, const Run& content);

/// Fills in what writeCounters wrote; nothing in a file without these tables. `damaged` is called, and
/// throws, when rows do not fit the run's implementations.
void readCounters(sqlite::Database& database, std::int64_t run, Run& content,
                  const std::function<void(const std::string&)>& damaged);

}  // namespace opscope
