// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/engine.h"

namespace opscope::ui {

/// The job that measures a run's calls again: op, shape, dtype, implementations, device and L2 mode of the
/// run, in one block, without experiments. Pure.
Job sameCall(const Run& run);

}  // namespace opscope::ui
