// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "exit_codes.h"
#include "outputs.h"
#include "session/comparison.h"
#include "session/store.h"

namespace opscope::cli {

int show(const Options& options) {
  Outputs outputs(options.outputs, options.quiet);
  const Session session = readSession(options.session);
  if (session.runs.empty()) fmt::print(stderr, "opscope: {} has no runs\n", options.session.string());
  Runs runs = session.runs;
  if (!options.baseline.empty())
    for (auto& run : runs) run = std::make_shared<const Run>(withBaseline(*run, options.baseline));
  outputs.write(runs);
  return outputs.failed() ? exitCodeOf(ErrorCode::CannotWrite) : kMeasured;
}

}  // namespace opscope::cli
