// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

host::Function copy() {
  return oneKernel("copy", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            n = context.integer("n")] { std::copy_n(x, n, y); };
  });
}

host::Function transpose() {
  return oneKernel("transpose", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            rows = context.integer("R"), columns = context.integer("C")] {
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
          y[column * rows + row] = x[row * columns + column];
    };
  });
}

host::Function embedding() {
  return oneKernel("embedding", "table", []<typename Element>(const host::CallContext& context, Element*) {
    return [table = elementsOf<const Element>(context.tensor("table")),
            ids = elementsOf<const std::int64_t>(context.tensor("ids")),
            y = elementsOf<Element>(context.tensor("y")), tokens = context.integer("T"),
            n = context.integer("H")] {
      for (std::int64_t t = 0; t < tokens; ++t) std::copy_n(table + ids[t] * n, n, y + t * n);
    };
  });
}

void referenceTranspose(const ReferenceInput& input, const std::string&,
                        std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const std::int64_t rows = input.dims.at("R"), columns = input.dims.at("C");
  for (std::size_t i = 0; i < indices.size(); ++i)
    values[i] = exactly(elementOf(input.inputs.at("x"), indices[i] % rows * columns + indices[i] / rows));
}

void referenceEmbedding(const ReferenceInput& input, const std::string&,
                        std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("H");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto id = static_cast<std::int64_t>(elementOf(input.inputs.at("ids"), indices[i] / n));
    values[i] = exactly(elementOf(input.inputs.at("table"), id * n + indices[i] % n));
  }
}

}  // namespace

void registerDataMovement(HostOps& ops) {
  ops.function("copy", copy());
  ops.function("transpose", transpose());
  ops.function("embedding", embedding());
  ops.reference("transpose", referenceTranspose);
  ops.reference("embedding", referenceEmbedding);
}

}  // namespace opscope
