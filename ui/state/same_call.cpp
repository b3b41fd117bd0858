// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/same_call.h"

namespace opscope::ui {

Job sameCall(const Run& run) {
  Job job;
  job.device = run.deviceId;
  job.op = run.op;
  // A shape of its own is the op's first workload with other dimensions.
  if (run.workload != "custom") job.workload = run.workload;
  job.dtype = run.dtype;
  job.dims = run.dims;  // the workload may be called the same and be another by now
  for (const ImplementationResult& result : run.implementations) job.implementations.push_back(result.name);
  // What a device makes of a mode stands behind it: "clean (partial)".
  if (const auto mode = l2ModeFromName(run.l2.substr(0, run.l2.find(' ')))) job.protocol.l2 = *mode;
  job.protocol.blocks = 1;
  return job;
}

}  // namespace opscope::ui
