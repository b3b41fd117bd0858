// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// The places of a row's values in falling order, of equal ones the lowest first.
template <typename Value>
std::vector<std::int32_t> falling(const std::vector<Value>& row) {
  std::vector<std::int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
  });
  return order;
}

host::Function sort() {
  return oneKernel("sort", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            indices = elementsOf<std::int32_t>(context.tensor("indices")), rows = context.integer("M"),
            n = context.integer("N")] {
      std::vector<float> row(static_cast<std::size_t>(n));
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < n; ++i) row[static_cast<std::size_t>(i)] = toFloat(x[r * n + i]);
        const std::vector<std::int32_t> order = falling(row);
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int32_t place = order[static_cast<std::size_t>(i)];
          indices[r * n + i] = place;
          y[r * n + i] = x[r * n + place];
        }
      }
    };
  });
}

void referenceSort(const ReferenceInput& input, const std::string& output,
                   std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("N");
  byRow(indices, values, n, [&](std::int64_t r, auto asked, auto to) {
    const std::vector<double> row = rowOf(input.inputs.at("x"), r, n);
    const std::vector<std::int32_t> order = falling(row);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::int32_t place = order[static_cast<std::size_t>(asked[i] % n)];
      to[i] =
          exactly(output == "indices" ? static_cast<double>(place) : row[static_cast<std::size_t>(place)]);
    }
  });
}

}  // namespace

void registerSort(HostOps& ops) {
  ops.function("sort", sort());
  ops.reference("sort", referenceSort);
}

}  // namespace opscope
