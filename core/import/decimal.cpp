// SPDX-License-Identifier: Apache-2.0
#include "import/decimal.h"

#include <algorithm>

namespace opscope {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// The pieces of a JSON number; nullopt when it is none.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  int exponent = 0;
};

std::optional<Decimal> split(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && isDigit(text[at])) ++at;
    return text.substr(from, at - from);
  };
  if (at < text.size() && text[at] == '-') {
    number.negative = true;
    ++at;
  }
  number.whole = digits();
  if (number.whole.empty() || (number.whole.size() > 1 && number.whole.front() == '0')) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    ++at;
    number.fraction = digits();
    if (number.fraction.empty()) return std::nullopt;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool negative = at < text.size() && text[at] == '-';
    if (negative || (at < text.size() && text[at] == '+')) ++at;
    const std::string_view exponent = digits();
    if (exponent.empty()) return std::nullopt;
    // Beyond this every number is 0 or too large, and it cannot overflow.
    constexpr int kEnough = 100'000'000;
    for (const char c : exponent) number.exponent = std::min(kEnough, number.exponent * 10 + (c - '0'));
    if (negative) number.exponent = -number.exponent;
  }
  if (at != text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Ns> nsOfMicroseconds(std::string_view text) {
  const auto number = split(text);
  if (!number) return std::nullopt;
  // The number is its digits, of which so many stand before the point once it counts nanoseconds.
  const auto count = static_cast<std::int64_t>(number->whole.size() + number->fraction.size());
  const std::int64_t before = static_cast<std::int64_t>(number->whole.size()) + number->exponent + 3;
  const auto digit = [&](std::int64_t i) {
    if (i < 0 || i >= count) return 0;
    const auto at = static_cast<std::size_t>(i);
    return (at < number->whole.size() ? number->whole[at] : number->fraction[at - number->whole.size()]) -
           '0';
  };
  Ns value = 0;
  for (std::int64_t i = 0; i < before; ++i) {
    if (i >= count && value == 0) break;  // zeros, however many
    if (value > kFurthestNs / 10) return std::nullopt;
    value = value * 10 + digit(i);
    if (value > kFurthestNs) return std::nullopt;
  }
  if (before >= 0 && digit(before) >= 5) ++value;
  if (value > kFurthestNs) return std::nullopt;
  return number->negative ? -value : value;
}

}  // namespace opscope
