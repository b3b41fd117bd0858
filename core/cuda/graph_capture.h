// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cuda/cuda_context.h"
#include "device/call.h"

namespace opscope::cuda {

/// What `issue` puts into the main stream, as a graph that is ready to be launched. Throws what `issue`
/// throws and what CUDA says; the stream is usable afterwards. On the launch thread.
GraphExec captureGraph(CudaContext& context, const std::string& label, const std::function<void()>& issue);

/// `times` issues of a call as one graph launch; the call must outlive it. Throws NotSupported, saying why,
/// for a call that a graph cannot hold.
std::unique_ptr<Call> captureCalls(CudaContext& context, Call& call, std::uint32_t times);

}  // namespace opscope::cuda
