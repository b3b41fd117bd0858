// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <functional>
#include <string>
#include <vector>

namespace opscope::test {

struct Finished {
  int exitCode = -1;  ///< -1 when a signal ended it
  std::string out;
  std::string err;
};

/// Runs the opscope that was built beside the tests. `during` is called once with its process id while it
/// runs; `terminal` gives it a terminal as standard error.
Finished runOpscope(const std::vector<std::string>& arguments, const std::function<void(pid_t)>& during = {},
                    bool terminal = false);

}  // namespace opscope::test
