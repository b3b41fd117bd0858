// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cuda/cuda_context.h"
#include "device/call.h"

namespace opscope::cuda {

/// The operations of cuDNN, in float32, float16 and bfloat16 with sums in float32:
/// "cudnn.conv2d": y = x * w of [images, c_in, height, width] and [c_out, c_in, kernel, kernel], by the
/// quickest plan of its heuristics (cuda/cudnn_convolution.h); scalars stride, padding, dilation.
/// "cudnn.max_pool2d": of [planes, height, width]; window, stride, padding. "cudnn.softmax",
/// "cudnn.log_softmax": of the rows of [M, N]. "cudnn.batch_norm": of [images, channels, inner] by the
/// statistics of the batch, which become mean and rstd; eps. "cudnn.sum", "cudnn.mean", "cudnn.max",
/// "cudnn.vector_norm": of the rows of [M, N].
bool isCudnnCall(const std::string& function);

/// Throws NotSupported (also when cuDNN is not there), BadInput, OutOfMemory.
std::unique_ptr<Call> prepareCudnn(CudaContext& context, const CallSpec& spec, const std::string& function);

}  // namespace opscope::cuda
