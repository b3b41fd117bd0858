// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

host::Function layerNorm() {
  return oneKernel("layer_norm", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")),
            weight = elementsOf<const Element>(context.tensor("weight")),
            bias = elementsOf<const Element>(context.tensor("bias")),
            y = elementsOf<Element>(context.tensor("y")), rows = context.integer("M"),
            n = context.integer("N"), eps = static_cast<float>(context.real("eps"))] {
      for (std::int64_t row = 0; row < rows; ++row) {
        const Element* from = x + row * n;
        float mean = 0, squares = 0;
        for (std::int64_t i = 0; i < n; ++i) mean += toFloat(from[i]);
        mean /= static_cast<float>(n);
        for (std::int64_t i = 0; i < n; ++i) squares += (toFloat(from[i]) - mean) * (toFloat(from[i]) - mean);
        const float scale = 1.0f / std::sqrt(squares / static_cast<float>(n) + eps);
        for (std::int64_t i = 0; i < n; ++i)
          fromFloat((toFloat(from[i]) - mean) * scale * toFloat(weight[i]) + toFloat(bias[i]),
                    y[row * n + i]);
      }
    };
  });
}

void referenceLayerNorm(const ReferenceInput& input, const std::string&,
                        std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("N");
  byRow(indices, values, n, [&](std::int64_t row, auto asked, auto to) {
    const std::vector<double> x = rowOf(input.inputs.at("x"), row, n);
    double mean = 0, squares = 0;
    for (const double value : x) mean += value / static_cast<double>(n);
    for (const double value : x) squares += (value - mean) * (value - mean);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + input.params.at("eps"));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::int64_t column = asked[i] % n;
      const double value = x[static_cast<std::size_t>(column)],
                   bias = elementOf(input.inputs.at("bias"), column);
      const double factor = scale * elementOf(input.inputs.at("weight"), column);
      to[i] = {(value - mean) * factor + bias,
               (std::abs(value) + std::abs(mean)) * std::abs(factor) + std::abs(bias)};
    }
  });
}

}  // namespace

void registerLayerNorm(HostOps& ops) {
  ops.function("layer_norm", layerNorm());
  ops.reference("layer_norm", referenceLayerNorm);
}

}  // namespace opscope
