// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace opscope {

// RFC 4180: a field with a comma, quote or line break is quoted, quotes are doubled, lines end in CRLF.

std::string csvField(std::string_view field);
/// Shortest digits that read back as the same number.
template <class T>
std::string csvNumber(T value) {
  return fmt::format("{}", value);
}
/// The fields as one line, with its end.
std::string csvLine(const std::vector<std::string>& fields);

}  // namespace opscope
