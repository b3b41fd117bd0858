// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "trace/pass.h"

namespace opscope {

/// One iteration of a pass with its records as an SVG element for a page: launch calls, BUSY, gaps by cause,
/// a row per stream with further ones for what overlaps, copies. Classes name the colours, titles the exact
/// times. Pure.
std::string drawIteration(const Pass& pass, std::uint32_t iteration);

}  // namespace opscope
