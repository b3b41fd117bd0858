// SPDX-License-Identifier: Apache-2.0
#include "session/counters_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "session/memory_traffic.h"

namespace opscope {
namespace {

// A table is for reading: the rest of a long call, and of a long template name, stands in counters.csv.
constexpr std::size_t kKernelsShown = 12;
constexpr std::size_t kNameShown = 40;

std::string megabytes(double bytes) {
  return fmt::format("{:.2f}", bytes / 1e6);  // below, it is nothing beside a call
}

std::string shortened(const std::string& name) {
  return name.size() <= kNameShown ? name : name.substr(0, kNameShown - 3) + "...";
}

std::vector<std::string> rowOf(const std::string& name, const std::string& kernel, const std::string& claimed,
                               const MemoryTraffic& moved, const std::string& ratio) {
  return {name,
          kernel,
          claimed,
          megabytes(static_cast<double>(moved.dram())),
          ratio,
          megabytes(static_cast<double>(moved.dramRead)),
          megabytes(static_cast<double>(moved.dramWritten)),
          megabytes(static_cast<double>(moved.l2))};
}

void addReading(const Run& run, const ImplementationResult& result, FurtherTable& table) {
  const CounterReading& reading = *result.counters;
  const std::optional<double> ratio = claimedOverMoved(run, result);
  table.rows.push_back(rowOf(result.name, "call", run.bytes > 0 ? megabytes(run.bytes) : "-",
                             medianCall(reading), ratio ? formatNumber(*ratio) : "-"));
  const std::vector<KernelTraffic> kernels = medianKernels(reading);
  if (kernels.size() < 2) return;
  for (std::size_t k = 0; k < std::min(kernels.size(), kKernelsShown); ++k)
    table.rows.push_back(rowOf("", shortened(kernels[k].name), "", kernels[k].traffic, ""));
  if (kernels.size() > kKernelsShown)
    table.remarks.push_back(
        fmt::format("{}: {} more kernels are in counters.csv", result.name, kernels.size() - kKernelsShown));
}

}  // namespace

std::optional<FurtherTable> countersTable(const Run& run) {
  FurtherTable table;
  const CounterReading* shown = nullptr;
  for (const ImplementationResult& result : run.implementations) {
    if (result.counters && result.hasNumber()) {
      shown = &*result.counters;
      addReading(run, result, table);
    } else if (result.countersRefused) {
      table.rows.push_back({result.name, failureText(*result.countersRefused)});
    }
  }
  if (table.rows.empty()) return std::nullopt;
  table.columns = {"implementation", "not counted because"};
  table.text = {1};
  table.title = "memory moved in a call, by the device's counters";
  if (shown == nullptr) return table;
  table.title += fmt::format(" (medians of {} calls, L2 {}, counted apart from the timed passes)",
                             shown->calls.size(), shown->l2);
  table.columns = {"implementation", "kernel",     "claimed MB",    "DRAM MB",
                   "claimed/DRAM",   "of it read", "of it written", "L2 MB"};
  return table;
}

}  // namespace opscope
