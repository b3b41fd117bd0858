// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

host::Function rope() {
  return oneKernel("rope_neox", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")),
            cosines = elementsOf<const Element>(context.tensor("cosines")),
            sines = elementsOf<const Element>(context.tensor("sines")),
            y = elementsOf<Element>(context.tensor("y")), rows = context.integer("B") * context.integer("S"),
            sequence = context.integer("S"), heads = context.integer("H"), half = context.integer("half")] {
      for (std::int64_t row = 0; row < rows * heads; ++row)
        for (std::int64_t i = 0; i < half; ++i) {
          const std::int64_t angle = row / heads % sequence * half + i;
          const float a = toFloat(x[2 * row * half + i]), b = toFloat(x[(2 * row + 1) * half + i]);
          const float cosine = toFloat(cosines[angle]), sine = toFloat(sines[angle]);
          fromFloat(a * cosine - b * sine, y[2 * row * half + i]);
          fromFloat(b * cosine + a * sine, y[(2 * row + 1) * half + i]);
        }
    };
  });
}

void referenceRope(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                   std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  const std::int64_t half = input.dims.at("half"), heads = input.dims.at("H"), sequence = input.dims.at("S");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t row = indices[i] / (2 * half), column = indices[i] % (2 * half);
    const std::int64_t angle = row / heads % sequence * half + column % half;
    const bool second = column >= half;
    const double itself = elementOf(x, indices[i]) * elementOf(input.inputs.at("cosines"), angle);
    const double other = elementOf(x, second ? indices[i] - half : indices[i] + half) *
                         elementOf(input.inputs.at("sines"), angle);
    values[i] = {second ? itself + other : itself - other, std::abs(itself) + std::abs(other)};
  }
}

}  // namespace

void registerRope(HostOps& ops) {
  ops.function("rope_neox", rope());
  ops.reference("rope_neox", referenceRope);
}

}  // namespace opscope
