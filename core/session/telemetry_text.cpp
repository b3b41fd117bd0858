// SPDX-License-Identifier: Apache-2.0
#include "session/telemetry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace opscope {
namespace {

// More than this many would be read by nobody; the lowest and the highest then stand for them.
constexpr std::size_t kShownOneByOne = 12;

std::string clockText(const char* what, const std::vector<int>& medians) {
  if (medians.empty()) return {};
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  if (*low == *high) return fmt::format("{} {} MHz", what, *low);
  if (medians.size() > kShownOneByOne) return fmt::format("{} {}-{} MHz", what, *low, *high);
  std::string each;
  for (const int median : medians) each += fmt::format("{}{}", each.empty() ? "" : ", ", median);
  return fmt::format("{} by pass {} MHz", what, each);
}

}  // namespace

std::string telemetryText(const std::vector<const Pass*>& passes) {
  std::vector<int> sm, memory;
  std::optional<int> hottest, power;
  std::optional<std::uint64_t> reasons;
  for (const Pass* pass : passes) {
    const TelemetrySummary summary = summariseTelemetry(*pass);
    if (summary.smClockMhz) sm.push_back(summary.smClockMhz->median);
    if (summary.memoryClockMhz) memory.push_back(summary.memoryClockMhz->median);
    if (summary.hottestC) hottest = std::max(hottest.value_or(*summary.hottestC), *summary.hottestC);
    if (summary.powerMilliwatt)
      power = std::max(power.value_or(summary.powerMilliwatt->high), summary.powerMilliwatt->high);
    if (summary.throttleReasons) reasons = reasons.value_or(0) | *summary.throttleReasons;
  }
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  add(clockText("SM clock", sm));
  add(clockText("memory clock", memory));
  if (hottest) add(fmt::format("up to {} C", *hottest));
  if (power) add(fmt::format("up to {:.0f} W", *power / 1000.0));
  // An idle moment between two passes is no news.
  if (reasons) add("clocks held down by: " + throttleText(*reasons & ~kThrottleIdle));
  return text;
}

}  // namespace opscope
