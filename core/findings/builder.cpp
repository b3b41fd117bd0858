// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/format.h"
#include "findings/rules.h"

namespace opscope::findings {
namespace {

std::string formatEvidence(const Evidence& evidence) {
  const double value = evidence.value;
  const std::string& unit = evidence.unit;
  if (unit == "text") return evidence.text;
  if (unit == "ns") return formatNs(value);
  if (unit == "share") return formatShare(value);
  if (unit == "bytes") return formatBytes(value);
  if (unit == "bytes/s") return formatNumber(value / 1e12) + " TB/s";
  if (unit == "flop/s") return formatNumber(value / 1e12) + " TFLOP/s";
  if (unit == "flop") return formatNumber(value / 1e9) + " GFLOP";
  if (unit == "mW") return fmt::format("{:.0f} W", value / 1000);
  if (unit == "pass") return fmt::format("{:.0f}", value + 1);
  if (unit == "count") return std::floor(value) == value ? fmt::format("{:.0f}", value) : formatNumber(value);
  if (unit == "ratio") return fmt::format("{:.3g}", value);
  return fmt::format("{:.0f} {}", value, unit);
}

}  // namespace

Builder::Builder(Finding::Severity severity, std::string rule) {
  found_.severity = severity;
  found_.rule = std::move(rule);
}

Builder::Builder(const Subject& subject, Finding::Severity severity, std::string rule)
    : Builder(severity, std::move(rule)) {
  found_.implementation = subject.index;
  text("implementation", subject.result.name);
}

Builder& Builder::number(std::string name, double value, std::string unit) {
  found_.evidence.push_back({std::move(name), value, std::move(unit), {}});
  return *this;
}

Builder& Builder::count(std::string name, std::uint64_t value) {
  return number(std::move(name), static_cast<double>(value), "count");
}

Builder& Builder::text(std::string name, std::string words) {
  found_.evidence.push_back({std::move(name), 0, "text", std::move(words)});
  return *this;
}

Builder& Builder::at(std::int64_t pass, std::int64_t iteration, std::int64_t gap) {
  found_.pass = static_cast<std::int32_t>(pass);
  found_.iteration = static_cast<std::int32_t>(iteration);
  found_.gap = static_cast<std::int32_t>(gap);
  return *this;
}

Builder& Builder::about(std::uint32_t implementation) {
  found_.implementation = static_cast<std::int32_t>(implementation);
  return *this;
}

std::string Builder::valueOf(const std::string& name) const {
  const auto at = std::find_if(found_.evidence.begin(), found_.evidence.end(),
                               [&](const Evidence& evidence) { return evidence.name == name; });
  if (at == found_.evidence.end())
    throw InternalError(
        fmt::format("The finding {} speaks of '{}', which it has no evidence of", found_.rule, name));
  return formatEvidence(*at);
}

Finding Builder::say(const std::string& sentence) {
  std::string text;
  for (std::size_t i = 0; i < sentence.size();) {
    const auto end = sentence[i] == '{' ? sentence.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      text += sentence[i++];
      continue;
    }
    text += valueOf(sentence.substr(i + 1, end - i - 1));
    i = end + 1;
  }
  found_.sentence = std::move(text);
  return std::move(found_);
}

}  // namespace opscope::findings
