// SPDX-License-Identifier: Apache-2.0
#include "trace_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace opscope::cli {
namespace {

// "12.5ms", without a unit nanoseconds.
std::optional<Ns> durationOf(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  double scale = 1;
  for (const auto& [unit, size] : kUnits) {
    if (!text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    scale = size;
    break;
  }
  double value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  const double ns = value * scale;
  if (std::isnan(ns) || std::fabs(ns) >= 1e18) return std::nullopt;
  return std::llround(ns);
}

std::optional<Interval> rangeOf(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto from = durationOf(std::string_view(text).substr(0, colon));
  const auto to = durationOf(std::string_view(text).substr(colon + 1));
  if (!from || !to || *from >= *to) return std::nullopt;
  return Interval{*from, *to};
}

}  // namespace

void addGaps(CLI::App& app, Options& options) {
  GapsOptions& gaps = options.gaps;
  app.add_option(
         "trace", gaps.file,
         "A trace of the PyTorch profiler (.json, .json.gz), or an export of Nsight Systems (.sqlite)")
      ->required()
      ->type_name("FILE");
  app.add_option("--device", gaps.device, "Only this device's kernels")->type_name("ID");
  app.add_option("--stream", gaps.streams, "Only the kernels of these streams, repeated or with commas")
      ->type_name("ID")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app.add_option_function<std::string>(
         "--range",
         [&gaps](const std::string& text) {
           gaps.range = rangeOf(text);
           if (!gaps.range)
             throw CLI::ValidationError("--range",
                                        fmt::format("'{}' is not FROM:TO, as in 10ms:12.5ms", text));
         },
         "Only this stretch of the trace, from the start of its first kernel; kernels are cut at its ends")
      ->type_name("FROM:TO");
  app.add_option("--longest", gaps.longest, "How many gaps are listed one by one, longest first")
      ->capture_default_str();
  app.add_option_function<std::vector<std::string>>(
         "--json",
         [&gaps](const std::vector<std::string>& file) {
           gaps.json = file.empty() || file.front().empty() ? "-" : file.front();
         },
         "Write every figure as JSON, in integer ns; on standard output, in place of the tables, without a "
         "FILE")
      ->type_name("[FILE]")
      ->expected(0, 1);
  app.add_flag("--quiet,-q", options.quiet, "Print results and errors only");
}

void addImport(CLI::App& app, Options& options) {
  ImportRequest& importing = options.importing;
  app.add_option("traces", importing.files,
                 "Traces of the PyTorch profiler (.json, .json.gz), or exports of Nsight Systems (.sqlite)")
      ->required()
      ->type_name("FILE...");
  app.add_option("--out", importing.out, "The session file that is made, or added to")
      ->required()
      ->type_name("SESSION");
  app.add_option(
         "--iterations", importing.iterations,
         "Which annotations of the trace are its iterations; a '#' at the end stands for a number. The "
         "whole trace is one where it has none")
      ->capture_default_str();
  app.add_flag("--quiet,-q", options.quiet, "Print errors only");
}

void addExport(CLI::App& app, Options& options) {
  app.add_option("session", options.session, "The session file")->required()->type_name("SESSION");
  app.add_option("--chrome", options.exporting.chrome,
                 "Write the records of a run as a Chrome trace, which Perfetto opens ('-': standard output)")
      ->type_name("FILE|-");
  app.add_option(
         "--html", options.exporting.html,
         "Write one HTML page that needs nothing else, with the median and the slowest iterations drawn "
         "('-': standard output)")
      ->type_name("FILE|-");
  app.add_option("--run", options.exporting.run,
                 "Only this run, counted from 1; all when left out, and of them the last for --chrome")
      ->check(CLI::PositiveNumber)
      ->type_name("NUMBER");
  app.add_flag("--quiet,-q", options.quiet, "Print errors only");
}

}  // namespace opscope::cli
