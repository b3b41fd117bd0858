// SPDX-License-Identifier: Apache-2.0
#include "session/memory_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opscope {
namespace {

std::int64_t medianOf(const std::vector<MemoryTraffic>& all, std::int64_t MemoryTraffic::* quantity) {
  std::vector<Ns> values;
  for (const MemoryTraffic& each : all) values.push_back(each.*quantity);
  return std::llround(summarise(std::move(values)).median);
}

MemoryTraffic medianOf(const std::vector<MemoryTraffic>& all) {
  if (all.empty()) return {};
  return {.dramRead = medianOf(all, &MemoryTraffic::dramRead),
          .dramWritten = medianOf(all, &MemoryTraffic::dramWritten),
          .l2 = medianOf(all, &MemoryTraffic::l2),
          .profiled = medianOf(all, &MemoryTraffic::profiled)};
}

}  // namespace

MemoryTraffic medianCall(const CounterReading& reading) {
  std::vector<MemoryTraffic> sums;
  for (const auto& parts : reading.calls) {
    MemoryTraffic sum;
    for (const MemoryTraffic& part : parts) {
      sum.dramRead += part.dramRead;
      sum.dramWritten += part.dramWritten;
      sum.l2 += part.l2;
      sum.profiled += part.profiled;
    }
    sums.push_back(sum);
  }
  return medianOf(sums);
}

std::vector<KernelTraffic> medianKernels(const CounterReading& reading) {
  if (reading.calls.empty()) return {};
  const std::size_t parts = reading.calls.front().size();
  if (std::any_of(reading.calls.begin(), reading.calls.end(),
                  [parts](const auto& call) { return call.size() != parts; }))
    return {};
  std::vector<KernelTraffic> kernels;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<MemoryTraffic> all;
    for (const auto& call : reading.calls) all.push_back(call[part]);
    kernels.push_back({partName(reading, part, parts), medianOf(all)});
  }
  return kernels;
}

std::string partName(const CounterReading& reading, std::size_t part, std::size_t parts) {
  if (reading.together) return fmt::format("all {} kernels", reading.kernels.size());
  if (parts == reading.kernels.size()) return reading.kernels[part];
  return fmt::format("part {} of {}", part + 1, parts);
}

std::optional<double> claimedOverMoved(const Run& run, const ImplementationResult& result) {
  if (!result.counters || !(run.bytes > 0)) return std::nullopt;
  const std::int64_t moved = medianCall(*result.counters).dram();
  if (moved <= 0) return std::nullopt;
  return run.bytes / static_cast<double>(moved);
}

}  // namespace opscope
