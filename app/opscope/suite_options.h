// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace CLI {
class App;
}

namespace opscope::cli {

/// What only `suite` has.
void addSuite(CLI::App& app, Options& options);
/// What only `sweep` has.
void addSweep(CLI::App& app, Options& options);

}  // namespace opscope::cli
