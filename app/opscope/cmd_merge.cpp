// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "exit_codes.h"
#include "session/merge.h"

namespace opscope::cli {

int merge(const Options& options) {
  const MergedSessions merged = mergeSessions(options.merge.out, options.merge.inputs);
  if (!options.quiet)
    fmt::print(stderr, "wrote {}: {} {} of {} {}{}\n", options.merge.out.string(), merged.runs,
               merged.runs == 1 ? "run" : "runs", options.merge.inputs.size(),
               options.merge.inputs.size() == 1 ? "session" : "sessions",
               merged.duplicates > 0 ? fmt::format(", {} that were there twice left out", merged.duplicates)
                                     : std::string());
  return kMeasured;
}

}  // namespace opscope::cli
