// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opscope {

/// Whether the ops of a family are built to make a measurement fail, or to take their engine with them:
/// listed last and apart, and never measured unless somebody names them. Any thread.
constexpr bool isMadeToFail(std::string_view family) {
  return family == "traps" || family == "crashes";
}

}  // namespace opscope
