// SPDX-License-Identifier: Apache-2.0
#include "session/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "session/device_record.h"
#include "session/iteration_drawing.h"
#include "session/kept.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --text: #161616; --soft: #5b5b5b; --line: #c8c8c8; --ground: #ffffff; --busy: #0072b2;
  --host: #8a8a8a; --gap: #d55e00; --kernel: #56a0d3; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --soft: #a6a6a6; --line: #4a4a4a; --ground: #1c1c1e;
  --busy: #58b0e8; --host: #8f8f8f; --gap: #f08a3c; --kernel: #3d7fae; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--ground); margin: 2em auto;
  max-width: 76em; padding: 0 1.5em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.25em; border-top: 1px solid var(--line); padding-top: 1em; } h3 { font-size: 1em; }
.soft { color: var(--soft); } .wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .6em 0; font-variant-numeric: tabular-nums; }
th, td { padding: .2em .7em; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th.n, td.n { text-align: right; } td.s { white-space: normal; }
svg { width: 100%; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .soft { fill: var(--soft); } svg .busy { fill: var(--busy); } svg .gap { fill: var(--gap); }
svg .host { fill: var(--host); } svg .kernel { fill: var(--kernel); stroke: var(--ground); stroke-width: .5; }
svg .rule { stroke: var(--line); }
@media print { body { max-width: none; } }
)";

// How many bytes of UTF-8 stand at `at`; 0 for none.
std::size_t lengthOfCharacter(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 && first < 0xF5   ? 4
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xC2 && first < 0xE0 ? 2
                                                             : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(at + 1);
  // Overlong ones, surrogates, and what lies beyond the last character.
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
    return 0;
  if (first == 0xEF && second == 0xBF && byte(at + 2) >= 0xBE) return 0;  // U+FFFE and U+FFFF are none of XML
  return length;
}

class Page {
 public:
  std::string take() { return std::move(out_); }

  void head(const std::string& title) {
    out_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
        "content=\"width=device-width, "
        "initial-scale=1\"/>\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
        htmlText(title), kStyle);
  }
  void foot() { out_ += "</body>\n</html>\n"; }
  void element(std::string_view tag, const std::string& text, std::string_view kind = {}) {
    out_ += kind.empty() ? fmt::format("<{0}>{1}</{0}>\n", tag, htmlText(text))
                         : fmt::format("<{0} class=\"{2}\">{1}</{0}>\n", tag, htmlText(text), kind);
  }

  void run(const Run& run);

 private:
  void cell(std::string_view tag, const std::string& text, bool words, std::size_t columns = 1) {
    out_ += fmt::format("<{0}{1}{2}>{3}</{0}>", tag,
                        columns > 1 ? fmt::format(" class=\"s\" colspan=\"{}\"", columns)
                        : words     ? ""
                                    : " class=\"n\"",
                        "", htmlText(text));
  }
  void table(const SummaryRows& rows);
  void table(const FurtherTable& table);
  void list(const std::vector<std::string>& sentences) {
    if (sentences.empty()) return;
    out_ += "<ul>\n";
    for (const std::string& sentence : sentences) element("li", sentence);
    out_ += "</ul>\n";
  }
  void drawings(const Run& run, std::uint32_t implementation);
  void environment(const Run& run);

  std::string out_;
};

void Page::table(const SummaryRows& rows) {
  out_ += "<div class=\"wide\"><table>\n<thead><tr>";
  for (const std::string& column : rows.columns) cell("th", column, isTextColumn(column));
  out_ += "</tr></thead>\n<tbody>\n";
  for (const SummaryRows::Row& row : rows.rows) {
    out_ += "<tr>";
    cell("td", row.implementation, true);
    if (row.cells.empty()) cell("td", row.failure, true, std::max<std::size_t>(rows.columns.size(), 3) - 1);
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      cell("td", row.cells[i], isTextColumn(rows.columns[i + 1]));
    out_ += "</tr>\n";
  }
  out_ += "</tbody></table></div>\n";
}

void Page::table(const FurtherTable& table) {
  element("h3", table.title);
  const auto words = [&](std::size_t column) {
    return column == 0 || std::count(table.text.begin(), table.text.end(), column) > 0;
  };
  if (!table.rows.empty()) {
    out_ += "<div class=\"wide\"><table>\n<thead><tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) cell("th", table.columns[i], words(i));
    out_ += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
      out_ += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool sentence = i + 1 == row.size() && row.size() < table.columns.size();
        cell("td", row[i], sentence || words(i), sentence ? table.columns.size() - i : 1);
      }
      out_ += "</tr>\n";
    }
    out_ += "</tbody></table></div>\n";
  }
  list(table.remarks);
}

std::optional<IterationRef> slowestIteration(const Run& run, std::uint32_t implementation) {
  std::optional<IterationRef> slowest;
  Ns most = -1;
  for (std::uint32_t p = 0; p < run.passes.size(); ++p)
    for (std::uint32_t i = 0;
         run.passes[p]->implementation == implementation && i < run.passes[p]->samples.size(); ++i)
      if (run.passes[p]->samples[i].busy > most) {
        most = run.passes[p]->samples[i].busy;
        slowest = IterationRef{p, i};
      }
  return slowest;
}

void Page::drawings(const Run& run, std::uint32_t implementation) {
  const ImplementationResult& result = run.implementations[implementation];
  if (!result.hasNumber()) return;
  const auto draw = [&](const char* which, const std::optional<IterationRef>& at) {
    if (!at || run.passes[at->pass]->kept != RecordsKept::All) return;
    const Pass& pass = *run.passes[at->pass];
    element("h3", fmt::format("{}: the {} iteration ({} of pass {}), busy {}, latency {}", result.name, which,
                              at->iteration + 1, at->pass + 1,
                              formatNs(static_cast<double>(pass.samples[at->iteration].busy)),
                              formatNs(static_cast<double>(pass.samples[at->iteration].latency))));
    out_ += drawIteration(pass, at->iteration);
  };
  draw("median", medianIteration(run, implementation));
  draw("slowest", slowestIteration(run, implementation));
}

void Page::environment(const Run& run) {
  out_ += "<details>\n";
  element("summary", "Environment");
  out_ += "<table>\n<tbody>\n";
  for (const auto& [name, value] : run.environment) {
    out_ += "<tr>";
    cell("td", name, true);
    cell("td", value, true);
    out_ += "</tr>\n";
  }
  out_ += "</tbody></table>\n</details>\n";
}

void Page::run(const Run& run) {
  const SummaryRows rows = summaryRows(run);
  out_ += "<section>\n";
  element("h2", rows.title);
  for (const std::string& line : rows.context) element("p", line, "soft");
  element("p", "Measured " + dateText(run.startedUnixNs), "soft");
  table(rows);
  for (const FurtherTable& further : rows.further) table(further);
  list(rows.remarks);
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) drawings(run, i);
  environment(run);
  out_ += "</section>\n";
}

}  // namespace

std::string htmlText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = lengthOfCharacter(text, at);
    const char c = text[at];
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
      continue;
    }
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (length == 1 && static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      out += ' ';
    else
      out.append(text.substr(at, length));
    at += length;
  }
  return out;
}

std::string runsHtml(const Runs& runs) {
  Page page;
  std::string title = "Opscope";
  if (runs.size() == 1)
    title = fmt::format("Opscope: {} {} {}", runs[0]->op, runs[0]->workload, runs[0]->dtype);
  page.head(title);
  page.element("h1", title);
  if (runs.empty()) page.element("p", "There are no runs.");
  for (const auto& run : runs) page.run(*run);
  page.foot();
  return page.take();
}

}  // namespace opscope
