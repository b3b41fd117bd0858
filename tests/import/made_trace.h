// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "import/import_trace.h"

namespace opscope::test {

/// `text` as a trace.
ImportedTrace imported(std::string_view text, const ImportOptions& options = {});

/// What a trace of these events (with commas between them) is.
std::string traceWith(const std::string& events);

/// One event each, in the spelling of today's Kineto. Times in us, as they are to be written.
std::string kernelEvent(const std::string& ts, const std::string& dur, int correlation, int stream = 7,
                        int device = 0);
std::string launchEvent(const std::string& ts, const std::string& dur, int correlation, int pid = 10,
                        const std::string& name = "cudaLaunchKernel");
std::string stepEvent(const std::string& name, const std::string& ts, const std::string& dur, int pid = 10);

std::string gzipped(std::string_view text);

/// Where the traces lie that were made by hand.
std::string madeTrace(const std::string& name);

}  // namespace opscope::test
