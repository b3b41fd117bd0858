// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "suite/plan.h"

namespace opscope {

/// The run of a job that failed as a whole: every implementation has its failure, and none a number, because
/// half a comparison is not drift-free. `partial`: the run as far as it came, whose passes stay; or null.
Run failedRun(const PlannedJob& planned, const DeviceInfo& device, const ErrorInfo& failure,
              const Run* partial);

}  // namespace opscope
