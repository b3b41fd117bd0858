// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/engine.h"
#include "ops/prepared.h"

namespace opscope {

/// What a job asks to be computed: its names and dimensions resolved. A workload and a seed that were left
/// open are filled in. Throws UnknownName or BadInput. `op` must outlive the problem.
Problem problemOf(const OpSpec& op, Job& job);

}  // namespace opscope
