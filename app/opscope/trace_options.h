// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace CLI {
class App;
}

namespace opscope::cli {

/// All that `gaps` has.
void addGaps(CLI::App& app, Options& options);
/// All that `import` has.
void addImport(CLI::App& app, Options& options);
/// What `export` has beside the outputs of every command.
void addExport(CLI::App& app, Options& options);

}  // namespace opscope::cli
