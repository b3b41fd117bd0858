// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "session/ceiling_file.h"

namespace opscope::ui {

/// The run with the ceilings that are known of its device, and what the rules then find; null where there is
/// nothing to add: none are known, they were measured in another environment, or the run has some that hold.
/// Pure.
std::shared_ptr<const Run> withCeilings(const std::shared_ptr<const Run>& run, const CeilingRecords& known);

}  // namespace opscope::ui
