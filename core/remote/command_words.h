// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opscope::remote {

/// Splits a command line into words as a shell does, as far as quotes and backslashes go: "a b", 'a b', a\ b.
/// Nothing is expanded. Throws BadInput for a quote that does not end and for a line without words.
std::vector<std::string> commandWords(std::string_view line);

}  // namespace opscope::remote
