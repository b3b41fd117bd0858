// SPDX-License-Identifier: Apache-2.0
#include "session_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

namespace opscope::cli {
namespace {

CLI::Option* addKept(CLI::App& app, const char* name, RecordsKept& kept, const char* text) {
  return app
      .add_option_function<std::string>(
          name, [&kept](const std::string& word) { kept = recordsKeptFromName(word).value_or(kept); }, text)
      ->check(CLI::IsMember({"all", "summary", "none"}))
      ->type_name("all|summary|none");
}

}  // namespace

std::optional<double> shareOf(const std::string& text) {
  const std::string digits = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  double percent = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, percent);
  if (error != std::errc() || stopped != end || !(percent >= 0) || percent > 1e6) return std::nullopt;
  return percent / 100;
}

std::string checkShare(const std::string& text) {
  return shareOf(text) ? std::string() : fmt::format("'{}' is not a share like 5%", text);
}

void addRecords(CLI::App& app, OutputOptions& outputs) {
  addKept(app, "--records", outputs.records,
          "What a session keeps of each pass: all, summary (each iteration's reading and no raw records) or "
          "none (what they add up to); all when left out");
  app.add_option("--note", outputs.note, "What each run says beside its numbers, wherever it is shown")
      ->type_name("TEXT");
}

void addMerge(CLI::App& app, Options& options) {
  app.add_option("out", options.merge.out, "The session to write; may be one of those to join")
      ->required()
      ->type_name("OUT");
  app.add_option("in", options.merge.inputs, "Sessions; a run that several have is taken once")
      ->required()
      ->type_name("IN");
  app.add_flag("--quiet,-q", options.quiet, "Print errors only");
}

void addDiff(CLI::App& app, Options& options) {
  DiffOptions& diff = options.diff;
  app.add_option("then", diff.then, "The earlier session, or one run of it: FILE#2 is the second")
      ->required()
      ->type_name("A");
  app.add_option("now", diff.now, "The later one")->required()->type_name("B");
  app.add_option_function<std::string>(
         "--threshold", [&diff](const std::string& text) { diff.threshold = shareOf(text); },
         "A share that a difference must exceed, where it is more than the comparison's own")
      ->type_name("THRESHOLD%")
      ->check(CLI::Validator(checkShare, "", ""));
  app.add_flag("--fail-if-slower", diff.failIfSlower,
               "End with 9 when a row is slower in B, or has lost its number; never when that is undecided");
  app.add_option("--json", options.outputs.json, "Write the rows as JSON ('-': standard output)")
      ->type_name("FILE|-");
  app.add_option("--markdown", options.outputs.markdown,
                 "Write the tables for a pull request ('-': standard output)")
      ->type_name("FILE|-");
  app.add_flag("--quiet,-q", options.quiet, "Print results and errors only");
}

void addVacuum(CLI::App& app, Options& options) {
  app.add_option("session", options.session, "The session to make smaller")->required()->type_name("FILE");
  auto* keep = addKept(app, "--keep", options.outputs.records,
                       "What is kept of each pass, as --records says; all when left out");
  app.add_flag_callback(
         "--drop-records", [&options] { options.outputs.records = RecordsKept::Summary; },
         "The same as --keep summary: the readings of iterations stay, raw records go")
      ->excludes(keep);
  app.add_flag("--quiet,-q", options.quiet, "Print errors only");
}

void addNote(CLI::App& app, Options& options) {
  app.add_option("session", options.session, "The session")->required()->type_name("SESSION");
  app.add_option("text", options.note.text, "What is to be said; '' takes back what was said")
      ->required()
      ->type_name("TEXT");
  app.add_option("--run", options.note.run,
                 "Which run of the session, counted from 1; the last when left out")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
}

void addHistory(CLI::App& app, Options& options) {
  HistoryOptions& history = options.history;
  app.add_option("sessions", history.files, "Sessions, in any order: their runs are ordered by time")
      ->required()
      ->type_name("FILES");
  app.add_option("--op", history.op, "Only this op")->type_name("OP");
  app.add_option("--workload", history.workload, "Only this workload")->type_name("LABEL");
  app.add_option("--impl", history.implementation, "Only this implementation")->type_name("NAME");
  app.add_option("--csv", options.outputs.csv, "Write a line per number ('-': standard output)")
      ->type_name("FILE|DIR|-");
  app.add_option("--markdown", options.outputs.markdown,
                 "Write the tables for a pull request ('-': standard output)")
      ->type_name("FILE|-");
  app.add_flag("--quiet,-q", options.quiet, "Print results and errors only");
}

}  // namespace opscope::cli
