// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "session/export.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

// Columns on a terminal: code points, which is exact for the Latin and Greek letters that names are made of.
std::size_t widthOf(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string space(width - std::min(width, widthOf(text)), ' ');
  return left ? text + space : space + text;
}

void appendLine(std::string& out, std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  out += line;
  out += '\n';
}

// A last cell that stands in for the cells it displaces is a sentence: it widens no column.
bool isSentence(const std::vector<std::string>& row, std::size_t column, const FurtherTable& table) {
  return column + 1 == row.size() && row.size() < table.columns.size();
}

std::string tableOf(const SummaryRows& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(widthOf(column));
  for (const SummaryRows::Row& row : table.rows) {
    widths[0] = std::max(widths[0], widthOf(row.implementation));
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      widths[i + 1] = std::max(widths[i + 1], widthOf(row.cells[i]));
  }
  std::string out;
  appendLine(out, table.title);
  for (const std::string& line : table.context) appendLine(out, line);
  out += '\n';
  std::string header;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    header += (i == 0 ? "" : "  ") + padded(table.columns[i], widths[i], isTextColumn(table.columns[i]));
  appendLine(out, header);
  for (const SummaryRows::Row& row : table.rows) {
    std::string line = padded(row.implementation, widths[0], true);
    if (row.cells.empty()) line += "  " + row.failure;
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      line += "  " + padded(row.cells[i], widths[i + 1], isTextColumn(table.columns[i + 1]));
    appendLine(out, line);
  }
  for (const FurtherTable& further : table.further) out += drawTable(further);
  if (!table.remarks.empty()) out += '\n';
  for (const std::string& remark : table.remarks) appendLine(out, "* " + remark);
  return out;
}

}  // namespace

std::string drawTable(const FurtherTable& table) {
  const auto left = [&](std::size_t column) {
    return column == 0 || std::count(table.text.begin(), table.text.end(), column) > 0;
  };
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(widthOf(column));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      if (!isSentence(row, i, table)) widths[i] = std::max(widths[i], widthOf(row[i]));
  std::string out = "\n";
  appendLine(out, table.title);
  const auto addRow = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += "  " + (isSentence(row, i, table) ? row[i] : padded(row[i], widths[i], left(i)));
    appendLine(out, line);
  };
  if (!table.rows.empty()) addRow(table.columns);
  for (const auto& row : table.rows) addRow(row);
  for (const std::string& remark : table.remarks) appendLine(out, "  " + remark);
  return out;
}

std::string runsTable(const Runs& runs) {
  std::string out;
  for (const auto& run : runs) {
    if (!out.empty()) out += '\n';
    out += tableOf(summaryRows(*run));
  }
  return out;
}

}  // namespace opscope
