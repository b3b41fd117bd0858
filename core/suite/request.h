// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "suite/plan.h"

namespace opscope {

/// The name under which a run's environment keeps what a suite asked for.
inline constexpr const char* kSuiteRequest = "suite request";

/// Everything of a planned job that makes its numbers what they are, beside the op and the dtype: workload,
/// dimensions, implementations, caches, budgets, experiments. Equal texts ask for the same numbers.
std::string requestText(const PlannedJob& planned);

/// Whether a run is what this job would measure on this device, to its end: nothing is measured twice.
bool answers(const Run& run, const PlannedJob& planned, const DeviceInfo& device);
/// Whether a run is the beginning of it: whoever measured it was stopped, or died.
bool isBeginningOf(const Run& run, const PlannedJob& planned, const DeviceInfo& device);

}  // namespace opscope
