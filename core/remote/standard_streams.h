// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.h"

namespace opscope::remote {

/// Serves an engine on this process's standard input and output, which it takes for itself: what anything
/// prints from then on goes to standard error, the log, whose lines begin with `name`. Returns serve()'s
/// code; a process whose device is lost, or whose job does not stop when the client has gone, ends here.
/// Throws BadInput where there are no such streams or standard output is a terminal, and what `make` throws.
int serveOnStandardStreams(const std::string& name, const std::function<std::unique_ptr<Engine>()>& make);

}  // namespace opscope::remote
