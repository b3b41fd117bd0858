// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/run.h"

namespace opscope {

/// Run::figures of a trace that another program recorded. Nothing of it was measured here: its `method` names
/// that program, and what was not recorded (caches, clocks, dropped records, results) is unknown.
inline constexpr const char* kImportedFigures = "imported";

inline bool isImported(const Run& run) {
  return run.figures == kImportedFigures;
}

}  // namespace opscope
