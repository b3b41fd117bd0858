// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

host::Function triad() {
  return oneKernel("triad", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")),
            other = elementsOf<const Element>(context.tensor("other")),
            y = elementsOf<Element>(context.tensor("y")), n = context.integer("n"),
            factor = static_cast<float>(context.real("factor"))] {
      for (std::int64_t i = 0; i < n; ++i) fromFloat(toFloat(x[i]) + factor * toFloat(other[i]), y[i]);
    };
  });
}

void referenceTriad(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                    std::span<ReferenceValue> values) {
  const double factor = input.params.at("factor");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double a = elementOf(input.inputs.at("x"), indices[i]);
    const double b = factor * elementOf(input.inputs.at("other"), indices[i]);
    values[i] = {a + b, std::abs(a) + std::abs(b)};
  }
}

}  // namespace

void registerTriad(HostOps& ops) {
  ops.function("triad", triad());
  ops.reference("triad", referenceTriad);
}

}  // namespace opscope
