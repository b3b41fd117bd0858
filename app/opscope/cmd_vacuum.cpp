// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/format.h"
#include "commands.h"
#include "exit_codes.h"
#include "session/vacuum.h"

namespace opscope::cli {

int vacuum(const Options& options) {
  const Vacuumed sizes = vacuumSession(options.session, options.outputs.records);
  if (!options.quiet)
    fmt::print("{}: {}, now {}\n", options.session.string(), formatBytes(static_cast<double>(sizes.before)),
               formatBytes(static_cast<double>(sizes.after)));
  return kMeasured;
}

}  // namespace opscope::cli
