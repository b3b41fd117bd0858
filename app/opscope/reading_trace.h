// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "import/imported_trace.h"

namespace opscope::cli {

/// Reads a trace with a line of progress on a terminal; Ctrl-C throws Cancelled. Throws what importTrace
/// throws.
ImportedTrace readTrace(const std::filesystem::path& file, const std::string& iterations, bool quiet);

}  // namespace opscope::cli
