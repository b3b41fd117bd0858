// SPDX-License-Identifier: Apache-2.0
#include "session/control_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"

namespace opscope {
namespace {

std::string text(Ns ns) {
  return formatNs(static_cast<double>(ns));
}

std::string changeText(Ns normal, Ns held) {
  return fmt::format("{} as measured, {} queued ahead", text(normal), text(held));
}

FurtherTable prequeuedTable(const ImplementationResult& result) {
  FurtherTable table;
  table.title = fmt::format("{}: gaps when the whole call is queued ahead of the device", result.name);
  const PrequeuedResult& prequeued = *result.prequeued;
  if (prequeued.failure) {
    table.remarks.push_back(failureText(*prequeued.failure));
    return table;
  }
  const PrequeuedComparison& comparison = prequeued.comparison;
  Ns smallest = 0;
  for (const PrequeuedGap& gap : comparison.gaps)
    if (gap.normal > 0 && (smallest == 0 || gap.normal < smallest)) smallest = gap.normal;
  const TimeUnit unit = smallest > 0 ? unitFor(static_cast<double>(smallest)) : TimeUnit::Microseconds;
  const auto in = [unit](Ns ns) { return formatIn(unit, static_cast<double>(ns)); };
  table.columns = {"gap before",   fmt::format("measured {}", suffixOf(unit)),
                   "queued ahead", "host cost",
                   "label",        "experiment"};
  table.text = {4, 5};
  for (const PrequeuedGap& gap : comparison.gaps) {
    const std::string label = gap.count == 0 ? "no gap as measured"
                              : gap.labelled == gap.count
                                  ? std::string(nameOf(gap.label))
                                  : fmt::format("{} ({} of {})", nameOf(gap.label), gap.labelled, gap.count);
    table.rows.push_back({fmt::format("{}. {}", gap.position + 1, gap.after), in(gap.normal), in(gap.held),
                          in(gap.hostCost()), label, std::string(nameOf(gap.result))});
  }
  if (!comparison.whyNoGaps.empty())
    table.remarks.push_back(fmt::format("Not compared gap by gap: {}.", comparison.whyNoGaps));
  table.remarks.push_back(fmt::format("latency {}; gaps of a call {}; the host's part of them {}.",
                                      changeText(comparison.latencyNormal, comparison.latencyHeld),
                                      changeText(comparison.gapNormal, comparison.gapHeld),
                                      changeText(comparison.hostNormal, comparison.hostHeld)));
  return table;
}

FurtherTable methodsTable(const ImplementationResult& result) {
  FurtherTable table;
  table.title =
      fmt::format("{}: the same call by several methods; only the records are the number", result.name);
  double smallest = 0;
  for (const MethodReading& reading : result.methods)
    if (!reading.failure && (smallest == 0 || reading.perCall.median < smallest))
      smallest = reading.perCall.median;
  const TimeUnit unit = smallest > 0 ? unitFor(smallest) : TimeUnit::Microseconds;
  table.columns = {
      "method",  fmt::format("one call {}", suffixOf(unit)), "p10", "p90", "n", "calls each", "L2",
      "includes"};
  table.text = {6, 7};
  for (const MethodReading& reading : result.methods) {
    if (reading.failure) {
      table.rows.push_back({reading.method, failureText(*reading.failure)});
      continue;
    }
    const Summary& s = reading.perCall;
    table.rows.push_back({reading.method, formatIn(unit, s.median), formatIn(unit, s.p10),
                          formatIn(unit, s.p90), fmt::format("{}", s.n),
                          fmt::format("{}", reading.callsPerReading), reading.l2, reading.includes});
  }
  return table;
}

}  // namespace

std::string tracingCostSentence(const ImplementationResult& result) {
  if (!result.tracingCost) return {};
  const TracingCost& cost = *result.tracingCost;
  if (cost.failure)
    return fmt::format("{}: what recording costs is not known. {}", result.name, failureText(*cost.failure));
  const std::string medians = fmt::format(
      "{} with it, {} without (event pairs around the call, n {} each, resolution {})",
      formatNs(cost.on.median), formatNs(cost.off.median), cost.on.n, formatNs(cost.resolution()));
  if (std::fabs(cost.cost()) <= cost.resolution())
    return fmt::format("{}: what recording costs a call is lost in the spread: {}.", result.name, medians);
  return fmt::format("{}: recording costs a call {}: {}.", result.name, formatNs(cost.cost()), medians);
}

std::vector<FurtherTable> controlTables(const Run& run) {
  std::vector<FurtherTable> tables;
  for (const ImplementationResult& result : run.implementations) {
    if (!result.methods.empty()) tables.push_back(methodsTable(result));
    if (result.prequeued) tables.push_back(prequeuedTable(result));
  }
  FurtherTable tracing;
  tracing.title = "The price of recording";
  for (const ImplementationResult& result : run.implementations)
    if (std::string sentence = tracingCostSentence(result); !sentence.empty())
      tracing.remarks.push_back(std::move(sentence));
  if (!tracing.remarks.empty()) tables.push_back(std::move(tracing));
  return tables;
}

}  // namespace opscope
