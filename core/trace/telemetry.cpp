// SPDX-License-Identifier: Apache-2.0
#include "trace/telemetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "trace/pass.h"

namespace opscope {
namespace {

// NVML's "clocks event reasons", once called throttle reasons, by bit.
constexpr std::array<std::string_view, 9> kReasons{
    "idle",           "application clocks", "power limit",        "hardware slowdown",
    "sync boost",     "thermal (software)", "thermal (hardware)", "power brake",
    "display clocks",
};

std::optional<ReadingRange> rangeOf(const std::vector<TelemetrySample>& samples, std::size_t from,
                                    std::optional<int> TelemetrySample::* field) {
  std::vector<int> values;
  for (std::size_t i = from; i < samples.size(); ++i)
    if (const std::optional<int> value = samples[i].*field) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return ReadingRange{values.front(), values[values.size() / 2], values.back()};
}

bool isBusy(const DeviceProcess& process) {
  return process.smPercent.value_or(0) > 0;
}

}  // namespace

std::vector<std::string> throttleWords(std::uint64_t reasons) {
  std::vector<std::string> words;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((reasons >> bit & 1) == 0) continue;
    words.push_back(bit < kReasons.size() ? std::string(kReasons.at(bit))
                                          : fmt::format("reason {:#x}", std::uint64_t{1} << bit));
  }
  return words;
}

std::string throttleText(std::uint64_t reasons) {
  std::string text;
  for (const std::string& word : throttleWords(reasons)) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

std::size_t firstOfLoop(const Pass& pass) {
  if (pass.trace.iterations.empty()) return 0;
  const Ns loop = pass.trace.iterations.front().called;
  const auto inside = std::find_if(pass.telemetry.begin(), pass.telemetry.end(),
                                   [loop](const TelemetrySample& sample) { return sample.at > loop; });
  const auto before = static_cast<std::size_t>(inside - pass.telemetry.begin());
  return before == 0 ? 0 : before - 1;
}

TelemetrySummary summariseTelemetry(const Pass& pass) {
  const auto& samples = pass.telemetry;
  const std::size_t from = firstOfLoop(pass);
  TelemetrySummary summary;
  summary.readings = static_cast<std::uint32_t>(samples.size() - from);
  summary.smClockMhz = rangeOf(samples, from, &TelemetrySample::smClockMhz);
  summary.memoryClockMhz = rangeOf(samples, from, &TelemetrySample::memoryClockMhz);
  summary.powerMilliwatt = rangeOf(samples, from, &TelemetrySample::powerMilliwatt);
  if (const auto temperature = rangeOf(samples, from, &TelemetrySample::temperatureC))
    summary.hottestC = temperature->high;
  for (std::size_t i = from; i < samples.size(); ++i)
    if (samples[i].throttleReasons)
      summary.throttleReasons = summary.throttleReasons.value_or(0) | *samples[i].throttleReasons;
  return summary;
}

std::optional<double> observedSmClock(std::span<const Pass* const> passes) {
  std::vector<int> medians;
  for (const Pass* pass : passes)
    if (const auto clock = summariseTelemetry(*pass).smClockMhz) medians.push_back(clock->median);
  if (medians.empty()) return std::nullopt;
  std::sort(medians.begin(), medians.end());
  const std::size_t half = medians.size() / 2;
  return medians.size() % 2 == 1 ? medians[half] : (medians[half - 1] + medians[half]) / 2.0;
}

std::size_t otherProcesses(const DeviceUse& use) {
  return use.processes.empty() ? 0 : use.processes.size() - 1;
}

std::size_t otherBusyProcesses(const DeviceUse& use) {
  if (!use.ownPid) {
    // This process has just used the device, so one of those seen working can be it.
    const auto busy =
        static_cast<std::size_t>(std::count_if(use.processes.begin(), use.processes.end(), isBusy));
    return busy == 0 ? 0 : busy - 1;
  }
  return static_cast<std::size_t>(std::count_if(
      use.processes.begin(), use.processes.end(),
      [&use](const DeviceProcess& process) { return process.pid != *use.ownPid && isBusy(process); }));
}

}  // namespace opscope
