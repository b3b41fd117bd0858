// SPDX-License-Identifier: Apache-2.0
#include "cuda/cudnn_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "base/error.h"
#include "cuda/kernel_arguments.h"

namespace opscope::cuda::cudnn {

DataType typeOf(const CallSpec& spec, DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return DataType::Float;
    case DType::Float16:
      return DataType::Half;
    case DType::BFloat16:
      return DataType::BFloat16;
    default:
      throw NotSupported(fmt::format("{}: cuDNN is not called for {} here", spec.label, nameOf(dtype)),
                         "Choose float32, float16 or bfloat16.");
  }
}

int sizeOf(const CallSpec& spec, std::int64_t size) {
  if (size < 0 || size > std::numeric_limits<int>::max())
    throw NotSupported(fmt::format("{}: cuDNN takes sizes of at most 31 bits, not {}", spec.label, size),
                       "Choose another implementation or shape.");
  return static_cast<int>(size);
}

int wholeNumber(const CallSpec& spec, const char* name) {
  const auto found = spec.scalars.find(name);
  if (found == spec.scalars.end() || found->second.floating)
    throw BadInput(fmt::format("{}: cuDNN needs a whole number '{}'", spec.label, name));
  return sizeOf(spec, found->second.integer);
}

const TensorArg& tensorOf(const CallSpec& spec, const char* name, std::size_t dims) {
  const TensorArg& tensor = tensorNamed(spec, name);
  if (tensor.shape.size() != dims)
    throw BadInput(fmt::format("{}: '{}' is [{}], cuDNN needs {} dimensions", spec.label, name,
                               fmt::join(tensor.shape, ", "), dims));
  return tensor;
}

}  // namespace opscope::cuda::cudnn
