// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "ops/reference.h"

namespace opscope {

/// What the reference gives for `indices` (flat, ascending), computed by as many threads as there are cores:
/// the reference of a large attention takes most of the time of a suite. Each thread has one stretch of the
/// indices, since a reference computes what is common to a row once for every call. Whatever a stretch throws
/// is thrown here, of several the first by index.
void computeInParts(const Reference& compute, const ReferenceInput& input, const std::string& output,
                    std::span<const std::int64_t> indices, std::span<ReferenceValue> values);

}  // namespace opscope
