// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "timing/progress.h"

namespace opscope::remote {

/// What is known of an engine that is gone.
struct Death {
  std::string how;    ///< "was ended by SIGKILL", "said nothing for 5 s and was ended"
  std::string log;    ///< the last lines it wrote
  std::string stray;  ///< what it wrote to its output before its hello
  bool greeted = false;
  bool inJob = false;
  Progress progress;  ///< of the job
  int count = 1;      ///< so many in a row died of the same job
};

/// How far a job had come: " in the phase \"measure\" of eager, pass 3 of 4, iteration 7 of 20".
std::string whereOf(const Progress& progress);

/// The failure that a person reads: what happened, in which phase of what, its last words, and what to do.
ErrorInfo describeDeath(const std::vector<std::string>& command, const Death& death);

}  // namespace opscope::remote
