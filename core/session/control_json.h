// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "session/run.h"

namespace opscope {

nlohmann::ordered_json summaryJson(const Summary& summary);

/// Adds what an implementation has of controls and methods: "prequeued", "tracing_cost", "methods".
void addControls(nlohmann::ordered_json& json, const ImplementationResult& result);

}  // namespace opscope
