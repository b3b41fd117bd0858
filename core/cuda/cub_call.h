// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cuda/cuda_context.h"
#include "device/call.h"

namespace opscope::cuda {

/// CUB's device-wide algorithms over the rows of [M, N], by the module that nvcc compiled: "cub.sum",
/// "cub.max", "cub.argmax" to y[M]; "cub.cumsum" to y[M, N]; "cub.sort" to y[M, N] and indices[M, N];
/// "cub.topk" to indices[M, K] (see cub/opscope_cub.h).
bool isCubCall(const std::string& function);

/// Scratch memory is allocated once. Throws NotSupported (also when the module is not there), BadInput,
/// OutOfMemory.
std::unique_ptr<Call> prepareCub(CudaContext& context, const CallSpec& spec, const std::string& function);

/// CUB's version and the module's file for the doctor. Throws NotSupported.
std::string describeCub();

}  // namespace opscope::cuda
