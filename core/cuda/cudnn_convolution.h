// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/cudnn_spec.h"

namespace opscope::cuda::cudnn {

/// y = x * w by the quickest of the ways that cuDNN's heuristics propose, each run a few times on the
/// handle's stream; sums in float32, and float32 itself not rounded on the way. Throws NotSupported,
/// BadInput, OutOfMemory.
Run convolution(const Api& api, const CallSpec& spec, Handle handle);

}  // namespace opscope::cuda::cudnn
