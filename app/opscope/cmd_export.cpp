// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "exit_codes.h"
#include "outputs.h"
#include "session/chrome_trace.h"
#include "session/html.h"
#include "session/kept.h"
#include "session/store.h"
#include "session/text_file.h"

namespace opscope::cli {

namespace {

void writeTo(const std::string& target, const std::string& text, bool quiet) {
  if (target == kStandardOutput) {
    printStandardOutput(text);
    return;
  }
  writeTextFile(target, text);
  if (!quiet) fmt::print(stderr, "wrote {}\n", target);
}

}  // namespace

int exportSession(const Options& options) {
  const ExportOptions& asked = options.exporting;
  const OutputOptions& files = options.outputs;
  if (asked.chrome.empty() && asked.html.empty() && files.csv.empty() && files.json.empty() &&
      files.markdown.empty()) {
    fmt::print(stderr,
               "opscope: export needs a format: --chrome, --csv, --html, --json or --markdown\n"
               "See `opscope export --help`.\n");
    return kUsageError;
  }
  for (const std::string& target : {asked.chrome, asked.html})
    if (!target.empty() && target != kStandardOutput) checkWritable(target);
  Outputs outputs(options.outputs, options.quiet);
  const Session session = readSession(options.session);
  Runs runs = session.runs;
  if (runs.empty())
    throw BadInput(fmt::format("{} has no runs", options.session.string()), "Measure one and keep it there.");
  if (asked.run > runs.size())
    throw BadInput(
        fmt::format("{} has no run {}: it has {}", options.session.string(), asked.run, runs.size()));
  if (asked.run > 0) runs = {runs[asked.run - 1]};
  if (!asked.chrome.empty() && keptOf(*runs.back()) != RecordsKept::All)
    throw BadInput(fmt::format("There is no Chrome trace of {}: {}", runs.back()->op,
                               keptSentence(keptOf(*runs.back()))),
                   "Choose a run with records with --run, or measure it again with --records all.");
  outputs.writeFiles(runs);
  for (const auto& run : runs)
    if (keptOf(*run) != RecordsKept::All)
      fmt::print(stderr, "opscope: {} {}: {}\n", run->op, run->workload, keptSentence(keptOf(*run)));
  if (!asked.html.empty()) writeTo(asked.html, runsHtml(runs), options.quiet);
  if (!asked.chrome.empty()) writeTo(asked.chrome, chromeTrace(*runs.back()), options.quiet);
  return outputs.failed() ? exitCodeOf(ErrorCode::CannotWrite) : kMeasured;
}

}  // namespace opscope::cli
