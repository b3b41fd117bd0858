// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "session/run.h"
#include "session/summary_rows.h"

namespace opscope {

/// What DRAM and L2 moved beside what the op claims, per implementation and per kernel; nullopt where no
/// counters were asked for.
std::optional<FurtherTable> countersTable(const Run& run);

}  // namespace opscope
