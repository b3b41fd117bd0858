// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "import/imported_trace.h"
#include "session/run.h"

namespace opscope {

/// The trace as runs of a session, one for each device that ran a kernel: one pass of one implementation,
/// "as recorded", labelled as imported and never compared with anything. `name`: what the trace is called,
/// without its folder. Throws NoKernel when no device ran any. Any thread.
std::vector<std::shared_ptr<const Run>> importedRuns(const ImportedTrace& trace, const std::string& name);

/// Says that the trace `name` has no kernel, and what to do.
[[noreturn]] void throwNoKernel(const std::string& name, const ImportedTrace& trace);

/// What the trace leaves open, a sentence each.
std::vector<std::string> openQuestions(const ImportedTrace& trace);

}  // namespace opscope
