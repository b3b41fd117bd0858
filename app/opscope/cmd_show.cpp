// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "exit_codes.h"
#include "outputs.h"
#include "session/store.h"

namespace opscope::cli {

int show(const Options& options) {
  Outputs outputs(options.outputs, options.quiet);
  const Session session = readSession(options.session);
  if (session.runs.empty()) fmt::print(stderr, "opscope: {} has no runs\n", options.session.string());
  outputs.write(session.runs);
  return outputs.failed() ? exitCodeOf(ErrorCode::CannotWrite) : kMeasured;
}

}  // namespace opscope::cli
