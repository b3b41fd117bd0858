// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/reference_builtin.h"

namespace opscope {

void referenceAdd(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                  std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  const HostTensor& other = input.inputs.at("other");
  const std::int64_t channels = input.dims.at("channels"), inner = input.dims.at("inner");
  const bool broadcast = input.dims.at("broadcast") != 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i];
    const double a = elementOf(x, index);
    const double b = elementOf(other, broadcast ? index / inner % channels : index);
    values[i] = {a + b, std::abs(a) + std::abs(b)};
  }
}

void referenceSame(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                   std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double value = elementOf(x, indices[i]);
    values[i] = {value, std::abs(value)};
  }
}

void referenceTwice(const ReferenceInput& input, const std::string& output,
                    std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  referenceSame(input, output, indices, values);
  for (ReferenceValue& value : values) value = {2 * value.value, 2 * value.magnitude};
}

}  // namespace opscope
