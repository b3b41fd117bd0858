// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cuda/cudnn_api.h"
#include "device/call.h"

namespace opscope::cuda::cudnn {

/// A prepared operation, issued by a handle whose stream is the call's. Holds descriptors and workspace, so
/// it goes before the handle.
using Run = std::function<Status(Handle)>;

// What a call says, as cuDNN wants to hear it. Each throws, naming the call: BadInput for what is not as the
// operation needs it, NotSupported for what cuDNN does not take.
DataType typeOf(const CallSpec& spec, DType dtype);
int sizeOf(const CallSpec& spec, std::int64_t size);
/// The scalar of that name.
int wholeNumber(const CallSpec& spec, const char* name);
/// The tensor of that name, which must have so many dimensions.
const TensorArg& tensorOf(const CallSpec& spec, const char* name, std::size_t dims);

}  // namespace opscope::cuda::cudnn
