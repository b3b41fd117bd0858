// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "exit_codes.h"
#include "import/imported_run.h"
#include "outputs.h"
#include "reading_trace.h"

namespace opscope::cli {

int importTraces(const Options& options) {
  const ImportRequest& asked = options.importing;
  OutputOptions where;
  where.session = asked.out.string();
  Outputs outputs(where, options.quiet);
  Runs runs;
  for (const std::filesystem::path& file : asked.files) {
    const ImportedTrace trace = readTrace(file, asked.iterations, options.quiet);
    for (const auto& run : importedRuns(trace, file.filename().string())) {
      outputs.keep(*run);
      runs.push_back(run);
    }
  }
  outputs.write(runs);
  return outputs.failed() ? exitCodeOf(ErrorCode::CannotWrite) : kMeasured;
}

}  // namespace opscope::cli
