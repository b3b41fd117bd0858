// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "commands.h"
#include "exit_codes.h"
#include "remote/standard_streams.h"

namespace opscope::cli {

int serve(const Options& options) {
  if (isatty(STDOUT_FILENO) != 0) {
    fmt::print(
        stderr,
        "opscope serve: this speaks a protocol to programs, not to a terminal. Use it as `opscope --engine "
        "COMMAND`, see `opscope run --help`\n");
    return kUsageError;
  }
  return remote::serveOnStandardStreams("opscope serve",
                                        [&] { return makeLocalEngine({.opFolders = options.opFolders}); });
}

}  // namespace opscope::cli
