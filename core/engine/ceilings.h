// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/engine.h"

namespace opscope {

/// What is measured to know a device's ceilings: ordinary jobs of the catalogue's ops. Memory by `copy` and
/// `triad` on random values, in tensors of several times its L2; the rate of matrix products by `gemm` in
/// each of its dtypes and by `gemm_fp8`, by the vendor's library where the device has one. `job` gives the
/// device and how it is measured. A device that cannot run one of them (no fp8) answers that job with a
/// failure.
std::vector<Job> ceilingJobs(const CatalogueInfo& catalogue, const DeviceInfo& device, const Job& job);

}  // namespace opscope
