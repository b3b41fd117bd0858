// SPDX-License-Identifier: Apache-2.0
#include "session/summary_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "session/comparison.h"
#include "session/control_tables.h"
#include "session/counters_table.h"
#include "session/efficiency.h"
#include "session/imported.h"
#include "session/kept.h"
#include "session/telemetry_text.h"

namespace opscope {
namespace {

constexpr std::ptrdiff_t kMemopCell = 6;  // behind the kernels

std::string oneLine(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

// One unit for the whole table, so that its numbers compare by eye: the fastest implementation's.
TimeUnit unitOf(const Run& run) {
  double smallest = 0;
  for (const ImplementationResult& result : run.implementations)
    if (result.hasNumber() && (smallest == 0 || result.busy.median < smallest)) smallest = result.busy.median;
  return smallest > 0 ? unitFor(smallest) : TimeUnit::Microseconds;
}

std::string kernelCount(const ImplementationResult& result) {
  if (result.kernelsMin == result.kernelsMax) return fmt::format("{}", result.kernelsMin);
  return fmt::format("{}-{}", result.kernelsMin, result.kernelsMax);
}

// "7, 3.502 us: 49 % queued, 44 % latency-exposed": gaps per call, the median gap time, and the causes by
// their share of all gaps. Shares of the count, because one preempted iteration can hold most of the time.
std::string gapText(const ImplementationResult& result, TimeUnit unit) {
  struct Part {
    GapCause cause;
    std::uint64_t count;
  };
  std::vector<Part> parts;
  std::uint64_t all = 0;
  for (std::size_t cause = 0; cause < result.gaps.size(); ++cause) {
    const std::uint64_t count = result.gaps[cause].count;
    all += count;
    if (count > 0) parts.push_back({static_cast<GapCause>(cause), count});
  }
  if (parts.empty()) return "none";
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.count > b.count; });
  constexpr std::size_t kShown = 2;
  const auto total = static_cast<double>(all);
  std::string text = fmt::format("{:.3g}, {} {}:", total / static_cast<double>(result.busy.n),
                                 formatIn(unit, result.gap.median), suffixOf(unit));
  for (std::size_t i = 0; i < std::min(parts.size(), kShown); ++i)
    text += fmt::format("{} {:.0f} % {}", i == 0 ? "" : ",",
                        100 * static_cast<double>(parts[i].count) / total, nameOf(parts[i].cause));
  if (parts.size() > kShown) text += fmt::format(", {} more", parts.size() - kShown);
  return text;
}

// Copies and fills, which no figure beside them counts: "1, 5.200 us". Calls that make none have no column.
std::string memopText(const ImplementationResult& result, TimeUnit unit) {
  if (result.memopsMedian <= 0) return "none";
  return fmt::format("{:.3g}, {} {}", result.memopsMedian,
                     formatIn(unit, static_cast<double>(result.memopTimeMedian)), suffixOf(unit));
}

bool anyMemops(const Run& run) {
  return std::any_of(
      run.implementations.begin(), run.implementations.end(),
      [](const ImplementationResult& result) { return result.hasNumber() && result.memopsMedian > 0; });
}

// The two cells of a comparison; none in a run that compares nothing.
std::vector<std::string> comparisonCells(const Run& run, std::uint32_t implementation) {
  if (!run.comparison) return {};
  if (implementation == run.comparison->baseline) return {"1", "baseline"};
  const AgainstBaseline* row = run.comparison->rowOf(implementation);
  if (row == nullptr) return {"-", "-"};
  return {ratioText(*row), verdictText(*row)};
}

std::vector<std::string> cellsOf(const Run& run, const ImplementationResult& result, TimeUnit unit) {
  const auto rate = [](double claimed, double perSecond) {
    return claimed > 0 ? formatNumber(perSecond / 1e12) : std::string("-");
  };
  return {formatIn(unit, result.busy.median),
          formatIn(unit, result.busy.p10),
          formatIn(unit, result.busy.p90),
          fmt::format("{}", result.busy.n),
          formatIn(unit, result.latency.median),
          kernelCount(result),
          result.latency.median > 0 ? formatShare(result.gap.median / result.latency.median) : "-",
          gapText(result, unit),
          rate(run.flops, flopsPerSecond(run, result)),
          rate(run.bytes, bytesPerSecond(run, result)),
          std::string(verificationMark(result.verification))};
}

// The letters of the passes as they ran: "A B C C B A".
std::string orderText(const Run& run) {
  std::string text;
  for (const auto& pass : run.passes) {
    if (pass->block > 0) break;
    if (!text.empty()) text += ' ';
    text += pass->implementation < 26 ? static_cast<char>('A' + pass->implementation) : '?';
  }
  return text;
}

std::vector<std::string> contextOfImported(const Run& run) {
  const auto iterations = run.environment.find("iterations");
  return {fmt::format("imported from a trace of {}, not measured by Opscope; recorded on {} ({})", run.method,
                      run.deviceName, run.deviceId),
          fmt::format("iterations: {}; caches, clocks, dropped records and results are unknown",
                      iterations == run.environment.end() ? "unknown" : iterations->second)};
}

std::vector<std::string> contextOf(const Run& run) {
  if (isImported(run)) return contextOfImported(run);
  const DropCount dropped = droppedIn(run);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} figures, measured on {} ({})", run.figures, run.deviceName, run.deviceId));
  std::string how = fmt::format("method {}, L2 {}, ", run.method, run.l2);
  if (run.passes.empty())
    how += "no pass finished";
  else if (dropped.proven)
    how += fmt::format("dropped records {}", dropped.records);
  else
    how += "dropped records unknown (the counter is unproven)";
  how += fmt::format(", attempts {}, seed {}", mostAttempts(run), run.seed);
  lines.push_back(std::move(how));
  std::vector<const Pass*> passes;
  for (const auto& pass : run.passes) passes.push_back(pass.get());
  std::string order;
  if (run.implementations.size() > 1 && !run.passes.empty())
    order = fmt::format("passes {}{}", orderText(run),
                        run.blocks > 1 ? fmt::format(", {} blocks", run.blocks) : std::string(", 1 block"));
  if (!order.empty()) lines.push_back(std::move(order));
  if (std::string telemetry = telemetryText(passes); !telemetry.empty())
    lines.push_back(std::move(telemetry));
  return lines;
}

}  // namespace

SummaryRows summaryRows(const Run& run) {
  SummaryRows table;
  table.title = fmt::format("{}  {}  {}  {}", run.op, run.workload, run.dtype, dimensionsText(run));
  while (table.title.ends_with(' ')) table.title.pop_back();
  table.context = contextOf(run);
  const TimeUnit unit = unitOf(run);
  const std::string_view suffix = suffixOf(unit);
  table.columns = {"implementation",
                   fmt::format("busy {}", suffix),
                   "p10",
                   "p90",
                   "n",
                   fmt::format("latency {}", suffix),
                   "kernels",
                   "idle",
                   "gaps in a call",
                   "TFLOP/s",
                   "TB/s",
                   "result"};
  const bool memops = anyMemops(run);
  if (memops) table.columns.insert(table.columns.begin() + kMemopCell + 1, "copies in a call");
  const bool efficiency = hasEfficiency(run);
  if (efficiency) table.columns.insert(table.columns.end() - 1, "efficiency");
  if (run.comparison) table.columns.insert(table.columns.end() - 1, {"ratio", "verdict"});
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    const ImplementationResult& result = run.implementations[i];
    SummaryRows::Row row;
    row.implementation = oneLine(result.name);
    if (result.hasNumber()) {
      row.cells = cellsOf(run, result, unit);
      if (memops) row.cells.insert(row.cells.begin() + kMemopCell, memopText(result, unit));
      if (efficiency) row.cells.insert(row.cells.end() - 1, efficiencyText(efficiencyOf(run, i)));
      const auto compared = comparisonCells(run, i);
      row.cells.insert(row.cells.end() - 1, compared.begin(), compared.end());
    } else if (result.failure) {
      row.failure = failureText(*result.failure);
    } else {
      row.failure = "not measured: the run ended before its first pass";
    }
    table.rows.push_back(std::move(row));
    if (result.hasNumber() && result.verification.state == VerificationRecord::State::Failed)
      table.remarks.push_back(
          fmt::format("WRONG RESULT: {} does not compute what the reference does (worst at {}); it was "
                      "measured all the same.",
                      result.name, result.verification.where));
  }
  for (std::string& sentence : comparisonSentences(run)) table.remarks.push_back(std::move(sentence));
  if (std::string sentence = ceilingSentence(run); !sentence.empty())
    table.remarks.push_back(std::move(sentence));
  table.further = controlTables(run);
  if (auto counters = countersTable(run)) table.further.push_back(std::move(*counters));
  if (std::string sentence = keptSentence(keptOf(run)); !sentence.empty())
    table.remarks.push_back(std::move(sentence));
  if (run.cancelled) table.remarks.emplace_back("Interrupted: only the passes that had finished are here.");
  if (!run.note.empty()) table.remarks.push_back(oneLine(run.note));
  for (const Finding& finding : run.findings)
    table.remarks.push_back((finding.severity == Finding::Severity::Warning ? "Warning: " : "") +
                            oneLine(finding.sentence));
  return table;
}

bool isTextColumn(std::string_view column) {
  return column == "implementation" || column == "gaps in a call" || column == "copies in a call" ||
         column == "verdict" || column == "result";
}

std::optional<ClockRange> smClock(const std::vector<const Pass*>& passes) {
  std::optional<ClockRange> range;
  for (const Pass* pass : passes)
    for (const TelemetrySample& sample : pass->telemetry) {
      if (!sample.smClockMhz) continue;
      if (!range) range = ClockRange{*sample.smClockMhz, *sample.smClockMhz};
      range->low = std::min(range->low, *sample.smClockMhz);
      range->high = std::max(range->high, *sample.smClockMhz);
    }
  return range;
}

std::string dimensionsText(const std::map<std::string, std::int64_t>& dims) {
  std::string text;
  for (const auto& [name, value] : dims) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string dimensionsText(const Run& run) {
  return dimensionsText(run.dims);
}

std::string environmentText(const Run& run) {
  std::string text;
  for (const auto& [name, value] : run.environment)
    text += fmt::format("{}{}={}", text.empty() ? "" : "; ", name, value);
  return text;
}

std::string_view verificationMark(const VerificationRecord& record) {
  switch (record.state) {
    case VerificationRecord::State::Passed:
      return "verified";
    case VerificationRecord::State::Failed:
      return "WRONG";
    case VerificationRecord::State::NotChecked:
      break;
  }
  return "not checked";
}

std::string failureText(const ErrorInfo& failure) {
  return oneLine(fmt::format("{}: {}", nameOf(failure.code), describe(failure)));
}

DropCount droppedIn(const Run& run) {
  DropCount sum{.proven = true, .records = 0};
  for (const auto& pass : run.passes) {
    sum.proven = sum.proven && pass->trace.dropped.proven;
    sum.records += pass->trace.dropped.records;
  }
  return sum;
}

std::uint32_t mostAttempts(const Run& run) {
  std::uint32_t most = 1;
  for (const auto& pass : run.passes) most = std::max(most, pass->attempts);
  return most;
}

}  // namespace opscope
