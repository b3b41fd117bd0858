// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "measuring.h"
#include "options.h"
#include "outputs.h"

namespace opscope::cli {

/// What the user asked for with --fail-if-slower and an earlier session as --baseline.
class Gate {
 public:
  /// Reads the earlier session before anything is measured. Throws CannotRead; BadInput when it has nothing
  /// of the op.
  Gate(const GateOptions& options, const std::string& op);
  /// Prints what became slower, and adds it to `result` where that was asked for.
  void judge(const Runs& runs, const Outputs& outputs, Result& result) const;

 private:
  GateOptions options_;
  std::vector<std::shared_ptr<const Run>> earlier_;
};

}  // namespace opscope::cli
