// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "base/text_key.h"

namespace opscope {
namespace {

struct UnitRow {
  double ns;
  std::string_view suffix;
};
constexpr std::array kUnits{UnitRow{1, "ns"}, UnitRow{1e3, "us"}, UnitRow{1e6, "ms"}, UnitRow{1e9, "s"}};

// Four significant digits without an exponent for what people read: 0.0123 is 0.01230, 1234567 is 1234567.
std::string significant(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (value == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  int decimals = 3 - exponent;
  if (decimals < 0) decimals = 0;
  if (decimals > 9) decimals = 9;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  // 9.9996 rounds up to 10.000, a digit too many.
  if (decimals > 0 && std::fabs(std::stod(text)) >= std::pow(10.0, exponent + 1))
    text = fmt::format("{:.{}f}", value, decimals - 1);
  return text;
}

constexpr std::array kPowersOfTen{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4};
constexpr std::array kScales{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

// As many as significant() gives, but for the digit that rounding up may cost: that changes the text of all
// values of one key alike.
int decimalsOf(double magnitude) {
  int decimals = 9;
  while (decimals > 0 && magnitude >= kPowersOfTen[static_cast<std::size_t>(10 - decimals)]) --decimals;
  return decimals;
}

}  // namespace

TimeUnit unitFor(double typicalNs) {
  const double magnitude = std::fabs(typicalNs);
  if (magnitude < 1e3) return TimeUnit::Nanoseconds;
  if (magnitude < 1e6) return TimeUnit::Microseconds;
  if (magnitude < 1e9) return TimeUnit::Milliseconds;
  return TimeUnit::Seconds;
}

std::string_view suffixOf(TimeUnit unit) {
  return kUnits[static_cast<std::size_t>(unit)].suffix;
}

std::string formatIn(TimeUnit unit, double ns) {
  return significant(ns / kUnits[static_cast<std::size_t>(unit)].ns);
}

std::uint64_t textKeyIn(TimeUnit unit, double ns) {
  constexpr std::uint64_t kOwn = std::uint64_t{1} << 63;
  const double value = ns / kUnits[static_cast<std::size_t>(unit)].ns;
  const double magnitude = std::fabs(value);
  // A close call is never between neighbours of the last bit: integers of nanoseconds lie further apart.
  const auto own = [&] { return kOwn | (std::bit_cast<std::uint64_t>(value) >> 1); };
  if (!(magnitude < 1e15) || value == 0) return own();
  const int decimals = decimalsOf(magnitude);
  const double scaled = magnitude * kScales[static_cast<std::size_t>(decimals)];
  const double below = std::floor(scaled);
  if (std::fabs(scaled - below - 0.5) < 1e-6) return own();
  const auto digits = static_cast<std::uint64_t>(scaled - below < 0.5 ? below : below + 1);
  return (value < 0 ? std::uint64_t{1} << 62 : 0) | (static_cast<std::uint64_t>(decimals) << 56) | digits;
}

std::string formatNs(double ns) {
  const TimeUnit unit = unitFor(ns);
  return fmt::format("{} {}", formatIn(unit, ns), suffixOf(unit));
}

std::string formatExactNs(Ns ns) {
  std::string digits = fmt::format("{}", ns);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, 1, ' ');
  }
  return digits + " ns";
}

std::string formatNumber(double value) {
  return significant(value);
}

std::string formatBytes(double bytes) {
  constexpr std::array<std::string_view, 5> suffixes{"B", "kB", "MB", "GB", "TB"};
  std::size_t i = 0;
  while (std::fabs(bytes) >= 1000 && i + 1 < suffixes.size()) {
    bytes /= 1000;
    ++i;
  }
  return fmt::format("{} {}", i == 0 ? fmt::format("{:.0f}", bytes) : significant(bytes), suffixes[i]);
}

std::string formatShare(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

}  // namespace opscope
