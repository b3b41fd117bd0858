// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "session/export.h"

namespace opscope {

/// Runs as one HTML page that needs nothing but itself: no script, no style sheet, no font from elsewhere.
/// Per run its table with how it was measured, comparison, findings, environment, and for each implementation
/// the median and the slowest iteration as drawings. It is well-formed XML, too. Pure.
std::string runsHtml(const Runs& runs);

/// Text between tags, or in an attribute: markup escaped, what is no character of XML or no UTF-8 replaced.
std::string htmlText(std::string_view text);

}  // namespace opscope
