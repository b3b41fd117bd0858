// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "session/csv_fields.h"
#include "suite/suite_tables.h"

namespace opscope {
namespace {

const std::vector<std::string> kColumns{"op",
                                        "workload",
                                        "dtype",
                                        "dimensions",
                                        "implementation",
                                        "state",
                                        "n",
                                        "busy_median_ns",
                                        "busy_p10_ns",
                                        "busy_p90_ns",
                                        "latency_median_ns",
                                        "kernels_min",
                                        "kernels_max",
                                        "idle_share",
                                        "host_late_share",
                                        "flops_per_s",
                                        "bytes_per_s",
                                        "bound",
                                        "efficiency",
                                        "result",
                                        "failure",
                                        "failure_text",
                                        "device",
                                        "figures",
                                        "method",
                                        "l2",
                                        "in_session_before"};

constexpr std::size_t kNumbers = 13;

const std::vector<std::string> kSinceColumns{"earlier_busy_median_ns", "earlier_ratio", "earlier_verdict",
                                             "earlier_different_kernels", "earlier_text"};

void addSince(std::vector<std::string>& fields, const std::optional<Since>& since) {
  const bool compared = since && since->kind == Since::Kind::Compared;
  fields.push_back(since && since->then > 0 ? fmt::format("{}", since->then) : std::string());
  fields.push_back(compared ? fmt::format("{}", since->ratio) : std::string());
  fields.emplace_back(compared ? nameOf(since->verdict) : std::string_view());
  fields.emplace_back(compared ? (since->otherKernels ? "1" : "0") : "");
  fields.push_back(since ? since->sentence : std::string());
}

// `since`: whether the table has these columns.
std::vector<std::string> fieldsOf(const SuiteRow& row, bool since) {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  std::vector<std::string> fields{row.op, row.workload, row.dtype, dimensionsText(row.dims),
                                  row.implementation};
  if (row.measured()) {
    for (const std::string& text :
         {std::string("measured"), number(row.busy.n), number(row.busy.median), number(row.busy.p10),
          number(row.busy.p90), number(row.latency.median), number(row.kernelsMin), number(row.kernelsMax),
          number(row.idleShare), number(row.hostLateShare), number(row.flopsPerSecond),
          number(row.bytesPerSecond),
          std::string(row.efficiency ? nameOf(row.efficiency->bound) : std::string_view()),
          row.efficiency ? number(row.efficiency->share) : std::string()})
      fields.push_back(text);
  } else {
    fields.emplace_back(row.notSupported() ? "not supported" : "failed");
    fields.resize(fields.size() + kNumbers);
  }
  fields.push_back(row.verification);
  fields.emplace_back(row.failure ? nameOf(row.failure->code) : std::string_view());
  fields.push_back(row.failure ? describe(*row.failure) : std::string());
  for (const std::string& text : {row.deviceName, row.figures, row.method, row.l2}) fields.push_back(text);
  fields.emplace_back(row.before ? "1" : "0");
  if (since) addSince(fields, row.since);
  return fields;
}

}  // namespace

std::string suiteCsv(const std::vector<SuiteRow>& rows, const std::string& first,
                     const std::vector<std::string>& firstCells) {
  const bool since =
      std::any_of(rows.begin(), rows.end(), [](const SuiteRow& row) { return row.since.has_value(); });
  std::vector<std::string> columns = kColumns;
  if (since) columns.insert(columns.end(), kSinceColumns.begin(), kSinceColumns.end());
  const auto lineOf = [&first](const std::string& cell, std::vector<std::string> fields) {
    if (!first.empty()) fields.insert(fields.begin(), cell);
    return csvLine(fields);
  };
  std::string out = lineOf(first, columns);
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += lineOf(first.empty() ? std::string() : firstCells.at(i), fieldsOf(rows[i], since));
  return out;
}

}  // namespace opscope
