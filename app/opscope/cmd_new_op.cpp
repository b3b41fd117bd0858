// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "commands.h"
#include "engine/new_op.h"
#include "exit_codes.h"

namespace opscope::cli {

int newOp(const Options& options) {
  const NewOpOptions& wanted = options.newOp;
  for (const auto& file : writeNewOp(wanted.folder, wanted.name)) fmt::print("{}\n", file.string());
  fmt::print(
      "\nIt doubles its input until you change it. Measure it:\n  opscope compare --ops {} --op {} --session "
      "{}.opscope\n",
      wanted.folder.string(), wanted.name, wanted.name);
  return kMeasured;
}

}  // namespace opscope::cli
