// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "session/summary_rows.h"

namespace opscope {

/// What a run has of controls and other methods, as tables for people: one of each per implementation that
/// has them.
std::vector<FurtherTable> controlTables(const Run& run);

/// "Recording costs a call 1.20 us: 8.10 us with, 6.90 us without (event pairs, n 100 each)." Empty when it
/// was not asked for.
std::string tracingCostSentence(const ImplementationResult& result);

}  // namespace opscope
