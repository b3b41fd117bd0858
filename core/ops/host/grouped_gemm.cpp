// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

host::Function groupedGemm() {
  return oneKernel("grouped_gemm", "a", []<typename Element>(const host::CallContext& context, Element*) {
    return [a = elementsOf<const Element>(context.tensor("a")),
            w = elementsOf<const Element>(context.tensor("w")),
            offsets = elementsOf<const std::int64_t>(context.tensor("offsets")),
            c = elementsOf<Element>(context.tensor("c")), groups = context.integer("E"),
            n = context.integer("N"), k = context.integer("K")] {
      std::vector<float> left(static_cast<std::size_t>(k));
      for (std::int64_t group = 0; group < groups; ++group)
        for (std::int64_t row = offsets[group]; row < offsets[group + 1]; ++row) {
          for (std::int64_t i = 0; i < k; ++i) left[static_cast<std::size_t>(i)] = toFloat(a[row * k + i]);
          for (std::int64_t column = 0; column < n; ++column) {
            const Element* right = w + (group * n + column) * k;
            float sum = 0;
            for (std::int64_t i = 0; i < k; ++i) sum += left[static_cast<std::size_t>(i)] * toFloat(right[i]);
            fromFloat(sum, c[row * n + column]);
          }
        }
    };
  });
}

void referenceGroupedGemm(const ReferenceInput& input, const std::string&,
                          std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("N"), k = input.dims.at("K");
  const std::vector<double> offsets = rowOf(input.inputs.at("offsets"), 0, input.dims.at("E") + 1);
  byRow(indices, values, n, [&](std::int64_t row, auto asked, auto to) {
    const std::vector<double> left = rowOf(input.inputs.at("a"), row, k);
    // The last group that begins at this row or before; one without rows begins where the next one does.
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), static_cast<double>(row));
    const std::int64_t group = next - offsets.begin() - 1;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::vector<double> right = rowOf(input.inputs.at("w"), group * n + asked[i] % n, k);
      to[i] = {};
      for (std::size_t j = 0; j < left.size(); ++j) {
        to[i].value += left[j] * right[j];
        to[i].magnitude += std::abs(left[j] * right[j]);
      }
    }
  });
}

}  // namespace

void registerGroupedGemm(HostOps& ops) {
  ops.function("grouped_gemm", groupedGemm());
  ops.reference("grouped_gemm", referenceGroupedGemm);
}

}  // namespace opscope
