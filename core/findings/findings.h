// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "session/run.h"

namespace opscope {

/// Rules over what was measured, each a plain sentence with its evidence. No advice that the data does not
/// carry. Ordered: warnings first, then by implementation.
std::vector<Finding> findIn(const Run& run);

}  // namespace opscope
