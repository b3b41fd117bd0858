// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "engine/launch_calls.h"

namespace opscope::cli {

int launch(const Options& options) {
  const LaunchedCalls launched = launchCalls(options.job, options.launch.warmups, options.launch.calls,
                                             {.opFolders = options.opFolders});
  if (options.quiet) return 0;
  fmt::print(
      "Launched {} of {} {} {} on {}: {} warm-up calls, then {} {}. Seed {}. Nothing was measured.\n",
      launched.implementation, launched.op, launched.workload, launched.dtype, launched.device,
      options.launch.warmups, options.launch.calls,
      launched.marked ? "between the profiler's marks" : "without marks, which this device does not have",
      launched.seed);
  return 0;
}

}  // namespace opscope::cli
