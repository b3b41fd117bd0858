// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measuring.h"
#include "options.h"
#include "session/summary_rows.h"

namespace opscope::cli {

/// What the user asked for with --fail-if-slower and an earlier session as --baseline.
class Gate {
 public:
  /// Reads the earlier session before anything is measured. Throws CannotRead; BadInput when it has nothing
  /// of the op.
  Gate(const GateOptions& options, const std::string& op);
  /// What became slower, in sentences, and in `result` where that was asked for; absent when nothing was
  /// asked.
  std::optional<FurtherTable> judge(const Runs& runs, Result& result) const;

 private:
  GateOptions options_;
  std::vector<std::shared_ptr<const Run>> earlier_;
};

}  // namespace opscope::cli
