// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

template <typename T>
T squaredRelu(T x) {
  const T positive = std::max(x, T{0});
  return positive * positive;
}

host::Function squaredReluOnHost() {
  return oneKernel("relu_squared", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            n = context.integer("n")] {
      for (std::int64_t i = 0; i < n; ++i) fromFloat(squaredRelu(toFloat(x[i])), y[i]);
    };
  });
}

void referenceSquaredRelu(const ReferenceInput& input, const std::string&,
                          std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    values[i] = exactly(squaredRelu(elementOf(input.inputs.at("x"), indices[i])));
}

}  // namespace

void registerReluSquared(HostOps& ops) {
  ops.function("relu_squared", squaredReluOnHost());
  ops.reference("relu_squared", referenceSquaredRelu);
}

}  // namespace opscope
