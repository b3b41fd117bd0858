// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "session/export.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

// A cell must not end its column, start markup or become HTML: kernel templates have angle brackets.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '|':
      case '\\':
      case '`':
      case '*':
      case '[':
      case ']':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out;
}

std::string drawRow(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

std::string markdownOf(const SummaryRows& table) {
  std::string out = "**" + escaped(table.title) + "**\n\n";
  for (std::size_t i = 0; i < table.context.size(); ++i)
    out += escaped(table.context[i]) + (i + 1 < table.context.size() ? "  \n" : "\n\n");
  out += drawRow(table.columns);
  std::vector<std::string> rule;
  for (const std::string& column : table.columns) rule.emplace_back(isTextColumn(column) ? "---" : "---:");
  out += drawRow(rule);
  for (const SummaryRows::Row& row : table.rows) {
    std::vector<std::string> cells{escaped(row.implementation)};
    for (const std::string& cell : row.cells) cells.push_back(escaped(cell));
    cells.resize(table.columns.size());
    // A row cannot span columns in Markdown: the sentence goes where sentences go, the numbers stay empty.
    if (row.cells.empty()) cells.back() = escaped(row.failure);
    out += drawRow(cells);
  }
  for (const FurtherTable& further : table.further) out += drawMarkdown(further);
  if (!table.remarks.empty()) out += '\n';
  for (const std::string& remark : table.remarks) out += "- " + escaped(remark) + "\n";
  return out;
}

}  // namespace

std::string drawMarkdown(const FurtherTable& table) {
  std::string out = "\n" + escaped(table.title) + "\n\n";
  if (!table.rows.empty()) {
    std::vector<std::string> rule;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      rule.emplace_back(i == 0 || std::count(table.text.begin(), table.text.end(), i) > 0 ? "---" : "---:");
    out += drawRow(table.columns) + drawRow(rule);
  }
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(escaped(cell));
    cells.resize(table.columns.size());
    if (row.size() < cells.size()) std::swap(cells[row.size() - 1], cells.back());
    out += drawRow(cells);
  }
  if (!table.remarks.empty()) out += '\n';
  for (const std::string& remark : table.remarks) out += "- " + escaped(remark) + "\n";
  return out;
}

std::string runsMarkdown(const Runs& runs) {
  std::string out;
  for (const auto& run : runs) {
    if (!out.empty()) out += '\n';
    out += markdownOf(summaryRows(*run));
  }
  return out;
}

}  // namespace opscope
