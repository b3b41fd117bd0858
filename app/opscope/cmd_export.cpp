// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "exit_codes.h"
#include "outputs.h"
#include "session/chrome_trace.h"
#include "session/store.h"
#include "session/text_file.h"

namespace opscope::cli {

int exportSession(const Options& options) {
  const ExportOptions& asked = options.exporting;
  const OutputOptions& files = options.outputs;
  if (asked.chrome.empty() && files.csv.empty() && files.json.empty() && files.markdown.empty()) {
    fmt::print(stderr,
               "opscope: export needs a format: --chrome, --csv, --json or --markdown\n"
               "See `opscope export --help`.\n");
    return kUsageError;
  }
  const bool chromeFile = !asked.chrome.empty() && asked.chrome != kStandardOutput;
  if (chromeFile) checkWritable(asked.chrome);
  Outputs outputs(options.outputs, options.quiet);
  const Session session = readSession(options.session);
  Runs runs = session.runs;
  if (runs.empty())
    throw BadInput(fmt::format("{} has no runs", options.session.string()), "Measure one and keep it there.");
  if (asked.run > runs.size())
    throw BadInput(
        fmt::format("{} has no run {}: it has {}", options.session.string(), asked.run, runs.size()));
  if (asked.run > 0) runs = {runs[asked.run - 1]};
  outputs.writeFiles(runs);
  if (!asked.chrome.empty()) {
    const std::string trace = chromeTrace(*runs.back());
    if (chromeFile) {
      writeTextFile(asked.chrome, trace);
      if (!options.quiet) fmt::print(stderr, "wrote {}\n", asked.chrome);
    } else {
      printStandardOutput(trace);
    }
  }
  return outputs.failed() ? exitCodeOf(ErrorCode::CannotWrite) : kMeasured;
}

}  // namespace opscope::cli
