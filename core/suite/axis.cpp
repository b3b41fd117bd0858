// SPDX-License-Identifier: Apache-2.0
#include "suite/axis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "device/dtype.h"
#include "ops/near_names.h"
#include "ops/op_spec.h"
#include "suite/lookup.h"

namespace opscope {
namespace {

constexpr const char* kForms = "Expected NAME=FROM:TO:2x, NAME=FROM:TO:+STEP or NAME=SIZE,SIZE,...";

[[noreturn]] void bad(const std::string& text, const std::string& why) {
  throw BadInput(fmt::format("The axis '{}' {}", text, why), kForms);
}

std::int64_t sizeFrom(std::string_view part, const std::string& text) {
  std::int64_t size = 0;
  const auto [stopped, error] = std::from_chars(part.data(), part.data() + part.size(), size);
  if (error != std::errc{} || stopped != part.data() + part.size())
    bad(text, fmt::format("has '{}' where a whole number is needed", part));
  if (size < 1 || size > kLargestDim)
    bad(text, fmt::format("has the size {}, and sizes go from 1 to {}", size, kLargestDim));
  return size;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::int64_t> rangeFrom(const std::vector<std::string_view>& parts, const std::string& text) {
  if (parts.size() != 3) bad(text, "is neither a range with its step nor a list");
  const std::int64_t first = sizeFrom(parts[0], text);
  const std::int64_t last = sizeFrom(parts[1], text);
  if (last < first) bad(text, "ends before it begins");
  std::string_view step = parts[2];
  const bool times = step.ends_with('x');
  if (times == step.starts_with('+')) bad(text, fmt::format("has the step '{}'", step));
  if (times)
    step.remove_suffix(1);
  else
    step.remove_prefix(1);
  const std::int64_t by = sizeFrom(step, text);
  if (times && by < 2) bad(text, "stands still: a factor is at least 2");
  std::vector<std::int64_t> sizes;
  // Neither form can overflow: a size has at most 40 bits, and where the next lies beyond the last, it ends.
  for (std::int64_t size = first; size <= last; size = times ? size * by : size + by) {
    if (sizes.size() == kMostPoints) bad(text, fmt::format("has more than {} points", kMostPoints));
    sizes.push_back(size);
    if (times && by > last / size) break;
  }
  return sizes;
}

std::int64_t sizeOf(const SuiteRow& row, const Axis& axis) {
  const auto found = row.dims.find(axis.dim);
  return found == row.dims.end() ? 0 : found->second;
}

}  // namespace

Axis parseAxis(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) bad(text, "names no dimension");
  Axis axis{text.substr(0, equals), {}};
  const std::string_view sizes = std::string_view(text).substr(equals + 1);
  if (sizes.find(':') != std::string_view::npos) {
    axis.sizes = rangeFrom(split(sizes, ':'), text);
    return axis;
  }
  for (const std::string_view part : split(sizes, ',')) {
    const std::int64_t size = sizeFrom(part, text);
    if (std::find(axis.sizes.begin(), axis.sizes.end(), size) != axis.sizes.end())
      bad(text, fmt::format("has the size {} twice", size));
    axis.sizes.push_back(size);
  }
  if (axis.sizes.size() > kMostPoints) bad(text, fmt::format("has more than {} points", kMostPoints));
  return axis;
}

std::vector<PlannedJob> planSweep(const CatalogueInfo& catalogue, const std::string& deviceKind,
                                  const Job& base, const Axis& axis) {
  const CatalogueInfo::Op& op = opNamed(catalogue, base.op);
  PlannedJob point{base, op.family, {}, base.implementations};
  if (point.implementations.empty()) point.implementations = implementationsFor(op, deviceKind);
  std::vector<std::string> dtypes = op.dtypes;
  if (!base.workload.empty() || !op.workloads.empty()) {
    const CatalogueInfo::Workload& workload =
        base.workload.empty() ? op.workloads.front() : workloadNamed(op, base.workload);
    point.job.workload = workload.label;
    point.dims = workload.dims;
    if (!workload.dtypes.empty()) dtypes = workload.dtypes;
  }
  if (const auto known = dtypeFromName(base.dtype))
    point.job.dtype = nameOf(*known);
  else if (base.dtype.empty() && !dtypes.empty())
    point.job.dtype = dtypes.front();
  if (!point.dims.contains(axis.dim)) {
    std::vector<std::string> known;
    for (const auto& [name, size] : point.dims) known.push_back(name);
    throw UnknownName(fmt::format("{} has no dimension \"{}\"", op.name, axis.dim),
                      nameRemedy(axis.dim, known, "dimensions"));
  }
  for (const auto& [name, size] : base.dims) point.dims[name] = size;
  std::vector<PlannedJob> points;
  for (const std::int64_t size : axis.sizes) {
    points.push_back(point);
    points.back().job.dims[axis.dim] = size;
    points.back().dims[axis.dim] = size;
  }
  return points;
}

FurtherTable sweepTable(const SuiteResult& result, const Axis& axis) {
  FurtherTable table;
  if (!result.rows.empty()) {
    const SuiteRow& row = result.rows.front();
    std::string others;
    for (const auto& [name, size] : row.dims)
      if (name != axis.dim) others += fmt::format(" {}={}", name, size);
    table.title = fmt::format("{} {}{} over {}; ", row.op, row.dtype, others, axis.dim);
  }
  table.title += figuresText(result.rows);
  table.columns = {axis.dim, "implementation"};
  const bool efficiency = hasEfficiency(result.rows);
  for (std::string& column : numberColumns(efficiency)) table.columns.push_back(std::move(column));
  table.text = {1, table.columns.size() - 1};
  for (const SuiteRow& row : result.rows) {
    std::vector<std::string> cells{fmt::format("{}", sizeOf(row, axis)), row.implementation};
    const std::vector<std::string> numbers =
        row.measured() ? numberCells(row, efficiency) : std::vector{failureText(*row.failure)};
    cells.insert(cells.end(), numbers.begin(), numbers.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string sweepCsv(const SuiteResult& result, const Axis& axis) {
  std::vector<std::string> sizes;
  for (const SuiteRow& row : result.rows) sizes.push_back(fmt::format("{}", sizeOf(row, axis)));
  return suiteCsv(result.rows, axis.dim, sizes);
}

}  // namespace opscope
