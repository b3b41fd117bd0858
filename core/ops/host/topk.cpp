// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// The places of the k largest in ascending order; of equal values the lower places.
template <typename Value>
std::vector<std::int64_t> placesOfLargest(const std::vector<Value>& row, std::int64_t k) {
  std::vector<std::int64_t> places(row.size());
  std::iota(places.begin(), places.end(), 0);
  const auto before = [&](std::int64_t a, std::int64_t b) {
    const Value left = row[static_cast<std::size_t>(a)], right = row[static_cast<std::size_t>(b)];
    return left != right ? left > right : a < b;
  };
  std::nth_element(places.begin(), places.begin() + k - 1, places.end(), before);
  places.resize(static_cast<std::size_t>(k));
  std::sort(places.begin(), places.end());
  return places;
}

host::Function topk() {
  return oneKernel("topk", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")),
            indices = elementsOf<std::int32_t>(context.tensor("indices")), rows = context.integer("M"),
            n = context.integer("N"), k = context.integer("K")] {
      std::vector<float> held(static_cast<std::size_t>(n));
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < n; ++i) held[static_cast<std::size_t>(i)] = toFloat(x[row * n + i]);
        const std::vector<std::int64_t> places = placesOfLargest(held, k);
        for (std::int64_t i = 0; i < k; ++i)
          indices[row * k + i] = static_cast<std::int32_t>(places[static_cast<std::size_t>(i)]);
      }
    };
  });
}

// Sorted as a whole, unlike above.
void referenceTopk(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                   std::span<ReferenceValue> values) {
  const std::int64_t k = input.dims.at("K");
  byRow(indices, values, k, [&](std::int64_t row, auto asked, auto to) {
    const std::vector<double> x = rowOf(input.inputs.at("x"), row, input.dims.at("N"));
    std::vector<std::int64_t> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return x[static_cast<std::size_t>(a)] > x[static_cast<std::size_t>(b)];
    });
    std::sort(order.begin(), order.begin() + k);
    for (std::size_t i = 0; i < asked.size(); ++i)
      to[i] = exactly(static_cast<double>(order[static_cast<std::size_t>(asked[i] % k)]));
  });
}

}  // namespace

void registerTopk(HostOps& ops) {
  ops.function("topk", topk());
  ops.reference("topk", referenceTopk);
}

}  // namespace opscope
