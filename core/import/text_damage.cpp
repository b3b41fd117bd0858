// SPDX-License-Identifier: Apache-2.0
#include "import/text_damage.h"

#include <fmt/format.h>

namespace opscope {
namespace {

// How many bytes the character at the beginning of `text` has; 0 for what is none.
std::size_t characterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than need be, halves of pairs, and beyond the last character.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

}  // namespace

TextDamage findDamage(std::string_view text) {
  bool inString = false, escaped = false;
  std::size_t length = 1;
  for (std::size_t at = 0; at < text.size(); at += length) {
    length = characterLength(text.substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (length == 0) return {at, fmt::format("byte 0x{:02x} is no UTF-8", byte)};
    if (inString && byte < 0x20)
      return {at, fmt::format("the control character 0x{:02x} stands in a string without an escape", byte)};
    if (byte == '"' && !escaped) inString = !inString;
    escaped = inString && byte == '\\' && !escaped;
  }
  return {text.size(), {}};
}

}  // namespace opscope
