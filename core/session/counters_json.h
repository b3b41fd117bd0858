// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "session/run.h"

namespace opscope {

/// Adds what the counters said of an implementation, or why they did not; nothing where they were not asked.
void addCounters(nlohmann::ordered_json& json, const Run& run, const ImplementationResult& result);

}  // namespace opscope
