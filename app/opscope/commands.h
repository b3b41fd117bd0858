// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "options.h"

namespace opscope::cli {

// Each does what its subcommand says and returns the exit code. Throws what the engine and the session throw.
int list(const Options& options);
int measure(const Options& options);  ///< run, compare and methods
int launch(const Options& options);
int noise(const Options& options);
int suite(const Options& options);
int sweep(const Options& options);
int merge(const Options& options);
int diff(const Options& options);
int history(const Options& options);
int vacuum(const Options& options);
int note(const Options& options);
int importTraces(const Options& options);
int gaps(const Options& options);
int exportSession(const Options& options);
int ceilings(const Options& options);
int doctor(const Options& options);
int show(const Options& options);
int newOp(const Options& options);
int serve(const Options& options);  ///< the engine on standard input and output

}  // namespace opscope::cli
