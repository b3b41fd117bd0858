// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

host::Function cumsum() {
  return oneKernel("cumsum", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            rows = context.integer("M"), n = context.integer("N")] {
      for (std::int64_t row = 0; row < rows; ++row) {
        float sum = 0;
        for (std::int64_t i = row * n; i < (row + 1) * n; ++i) {
          sum += toFloat(x[i]);
          fromFloat(sum, y[i]);
        }
      }
    };
  });
}

void referenceCumsum(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                     std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("N");
  byRow(indices, values, n, [&](std::int64_t row, auto asked, auto to) {
    const std::vector<double> x = rowOf(input.inputs.at("x"), row, n);
    ReferenceValue sum;
    std::size_t added = 0;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      for (; added <= static_cast<std::size_t>(asked[i] % n); ++added) {
        sum.value += x[added];
        sum.magnitude += std::abs(x[added]);
      }
      to[i] = sum;
    }
  });
}

}  // namespace

void registerCumsum(HostOps& ops) {
  ops.function("cumsum", cumsum());
  ops.reference("cumsum", referenceCumsum);
}

}  // namespace opscope
