// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "exit_codes.h"
#include "import/gaps_report.h"
#include "outputs.h"
#include "reading_trace.h"
#include "session/text_file.h"

namespace opscope::cli {
namespace {

// The range is asked for from the start of the trace's first kernel: nobody knows the clock's own numbers.
TraceSelection selectionOf(const GapsOptions& options, const ImportedTrace& trace) {
  TraceSelection selection{.device = options.device, .streams = options.streams, .range = options.range};
  if (!selection.range || trace.trace.kernels.empty()) return selection;
  const auto first =
      std::min_element(trace.trace.kernels.begin(), trace.trace.kernels.end(),
                       [](const KernelRecord& a, const KernelRecord& b) { return a.start < b.start; });
  selection.range->start += first->start;
  selection.range->end += first->start;
  return selection;
}

}  // namespace

int gaps(const Options& options) {
  const GapsOptions& asked = options.gaps;
  if (!asked.json.empty() && asked.json != kStandardOutput) checkWritable(asked.json);
  const ImportedTrace trace = readTrace(asked.file, {}, options.quiet);
  const GapsReport report =
      reportGaps(asked.file.filename().string(), trace, selectionOf(asked, trace), asked.longest);
  if (asked.json.empty()) {
    printStandardOutput(gapsTable(report));
  } else if (asked.json == kStandardOutput) {
    printStandardOutput(gapsJson(report));
  } else {
    printStandardOutput(gapsTable(report));
    writeTextFile(asked.json, gapsJson(report));
    if (!options.quiet) fmt::print(stderr, "wrote {}\n", asked.json);
  }
  return kMeasured;
}

}  // namespace opscope::cli
