// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/format.h"

namespace opscope {
namespace {

constexpr std::size_t kShownOfTheMost = 5;
const std::vector<std::string> kNameColumns{"op", "workload", "dtype", "implementation"};

std::vector<std::string> nameCells(const SuiteRow& row) {
  return {row.op, row.workload, row.dtype, row.implementation};
}

std::vector<std::string> joined(std::vector<std::string> front, const std::vector<std::string>& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

std::string kernelsText(const SuiteRow& row) {
  if (row.kernelsMin == row.kernelsMax) return fmt::format("{}", row.kernelsMin);
  return fmt::format("{}-{}", row.kernelsMin, row.kernelsMax);
}

std::set<std::string> distinct(const std::vector<SuiteRow>& rows, std::string SuiteRow::* field) {
  std::set<std::string> values;
  for (const SuiteRow& row : rows)
    if (row.measured()) values.insert(row.*field);
  return values;
}

FurtherTable tableOfRows(const SuiteResult& result) {
  FurtherTable table;
  table.title = figuresText(result.rows);
  const bool severalL2 = distinct(result.rows, &SuiteRow::l2).size() > 1;
  std::vector<std::string> names = kNameColumns;
  if (severalL2) names.emplace_back("L2");
  const bool efficiency = hasEfficiency(result.rows);
  table.columns = joined(names, numberColumns(efficiency));
  for (std::size_t i = 0; i < names.size(); ++i) table.text.push_back(i);
  table.text.push_back(table.columns.size() - 1);
  for (const SuiteRow& row : result.rows) {
    std::vector<std::string> cells = nameCells(row);
    if (severalL2) cells.push_back(row.l2);
    table.rows.push_back(joined(std::move(cells), numberCells(row, efficiency)));
  }
  return table;
}

// The rows with the largest of something that is above 0.
FurtherTable tableOfTheMost(const SuiteResult& result, const std::string& title, const std::string& column,
                            const std::function<double(const SuiteRow&)>& value,
                            const std::function<std::string(const SuiteRow&)>& text) {
  std::vector<const SuiteRow*> rows;
  for (const SuiteRow& row : result.rows)
    if (row.measured() && value(row) > 0) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const SuiteRow* a, const SuiteRow* b) { return value(*a) > value(*b); });
  rows.resize(std::min(rows.size(), kShownOfTheMost));
  FurtherTable table{title, joined(kNameColumns, {column}), {0, 1, 2, 3}, {}, {}};
  for (const SuiteRow* row : rows) table.rows.push_back(joined(nameCells(*row), {text(*row)}));
  return table;
}

// One line for implementations that have no number for one and the same reason.
FurtherTable tableOfReasons(const SuiteResult& result, const std::string& title, bool notSupported) {
  FurtherTable table{title, joined(kNameColumns, {"reason"}), {0, 1, 2, 3, 4}, {}, {}};
  for (const SuiteRow& row : result.rows) {
    if (row.measured() || row.notSupported() != notSupported) continue;
    std::vector<std::string> cells = joined(nameCells(row), {failureText(*row.failure)});
    if (!table.rows.empty()) {
      std::vector<std::string>& last = table.rows.back();
      if (last[0] == cells[0] && last[1] == cells[1] && last[2] == cells[2] && last[4] == cells[4]) {
        last[3] += ", " + cells[3];
        continue;
      }
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace

std::string figuresText(const std::vector<SuiteRow>& rows) {
  const auto text = [&](std::string SuiteRow::* field) {
    return fmt::format("{}", fmt::join(distinct(rows, field), " and "));
  };
  if (distinct(rows, &SuiteRow::deviceName).empty()) return "Nothing has a number";
  return fmt::format("{} figures of {}, method {}, L2 {}", text(&SuiteRow::figures),
                     text(&SuiteRow::deviceName), text(&SuiteRow::method), text(&SuiteRow::l2));
}

bool hasEfficiency(const std::vector<SuiteRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const SuiteRow& row) { return row.efficiency.has_value(); });
}

std::vector<std::string> numberColumns(bool efficiency) {
  std::vector<std::string> columns{"busy",      "latency", "kernels", "idle",
                                   "host-late", "TFLOP/s", "TB/s",    "result"};
  if (efficiency) columns.insert(columns.end() - 1, "efficiency");
  return columns;
}

std::vector<std::string> numberCells(const SuiteRow& row, bool efficiency) {
  if (!row.measured())
    return {row.notSupported() ? std::string("not supported") : std::string(nameOf(row.failure->code))};
  const auto rate = [](double perSecond) {
    return perSecond > 0 ? formatNumber(perSecond / 1e12) : std::string("-");
  };
  std::vector<std::string> cells{formatNs(row.busy.median),
                                 formatNs(row.latency.median),
                                 kernelsText(row),
                                 formatShare(row.idleShare),
                                 formatShare(row.hostLateShare),
                                 rate(row.flopsPerSecond),
                                 rate(row.bytesPerSecond),
                                 row.verification};
  if (efficiency) cells.insert(cells.end() - 1, efficiencyText(row.efficiency));
  return cells;
}

std::vector<FurtherTable> suiteTables(const SuiteResult& result) {
  std::vector<FurtherTable> tables{tableOfRows(result)};
  const auto addIfAny = [&](FurtherTable table) {
    if (!table.rows.empty()) tables.push_back(std::move(table));
  };
  addIfAny(tableOfTheMost(
      result, "Slowest", "busy", [](const SuiteRow& row) { return row.busy.median; },
      [](const SuiteRow& row) { return formatNs(row.busy.median); }));
  addIfAny(tableOfTheMost(
      result, "Largest share of the latency in which the host was late", "host-late",
      [](const SuiteRow& row) { return row.hostLateShare; },
      [](const SuiteRow& row) { return formatShare(row.hostLateShare); }));
  addIfAny(tableOfReasons(result, "Failed", false));
  addIfAny(tableOfReasons(result, "Not supported here", true));
  return tables;
}

std::vector<std::string> suiteSentences(const SuiteResult& result, const std::vector<std::string>& leftOut) {
  const auto count = [&](auto condition) {
    return static_cast<std::size_t>(std::count_if(result.rows.begin(), result.rows.end(), condition));
  };
  const std::size_t notSupported = count([](const SuiteRow& row) { return row.notSupported(); });
  const std::size_t failed = count([](const SuiteRow& row) { return row.failure && !row.notSupported(); });
  std::string summary = fmt::format("{} of {} measured in {}, {} failed, {} not supported",
                                    count([](const SuiteRow& row) { return row.measured(); }),
                                    counted(result.rows.size(), "implementation", "implementations"),
                                    counted(result.done, "job", "jobs"), failed, notSupported);
  if (result.before > 0)
    summary += fmt::format("; {} in the session before, not measured again",
                           result.before == 1 ? "1 job was" : fmt::format("{} jobs were", result.before));
  std::vector<std::string> sentences{summary + "."};
  const std::size_t rest = result.jobs - result.done;
  if (result.interrupted)
    sentences.push_back(fmt::format("Interrupted: {} left. The same command goes on from there.",
                                    counted(rest, "job is", "jobs are")));
  if (result.ended)
    sentences.push_back(fmt::format("The device cannot be had any more, {} left: {}",
                                    counted(rest, "job is", "jobs are"), failureText(*result.ended)));
  if (!leftOut.empty()) sentences.push_back(fmt::format("Left out: {}.", fmt::join(leftOut, "; ")));
  return sentences;
}

}  // namespace opscope
