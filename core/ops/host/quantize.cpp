// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

template <DType to>
constexpr double kLargest = to == DType::Int8 ? 127 : 448;

template <DType to>
host::Function quantize(const std::string& name) {
  return oneKernel(name, "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), q = context.tensor("q").data,
            scale = elementsOf<float>(context.tensor("scale")), rows = context.integer("M"),
            n = context.integer("N")] {
      for (std::int64_t row = 0; row < rows; ++row) {
        float largest = 0;
        for (std::int64_t i = row * n; i < (row + 1) * n; ++i)
          largest = std::max(largest, std::abs(toFloat(x[i])));
        scale[row] = largest / static_cast<float>(kLargest<to>);
        for (std::int64_t i = row * n; i < (row + 1) * n; ++i)
          storeElement(to, q + i, largest > 0 ? static_cast<double>(toFloat(x[i]) / scale[row]) : 0.0);
      }
    };
  });
}

// Not rounded: half a step of the 8-bit type is what a result may be off by.
template <DType to>
void referenceQuantize(const ReferenceInput& input, const std::string& output,
                       std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("N");
  const bool scales = output == "scale";
  byRow(indices, values, scales ? 1 : n, [&](std::int64_t row, auto asked, auto results) {
    const std::vector<double> x = rowOf(input.inputs.at("x"), row, n);
    double largest = 0;
    for (const double value : x) largest = std::max(largest, std::abs(value));
    const double scale = largest / kLargest<to>;
    for (std::size_t i = 0; i < asked.size(); ++i)
      results[i] = exactly(scales        ? scale
                           : largest > 0 ? x[static_cast<std::size_t>(asked[i] % n)] / scale
                                         : 0.0);
  });
}

}  // namespace

void registerQuantize(HostOps& ops) {
  ops.function("quantize_int8", quantize<DType::Int8>("quantize_int8"));
  ops.function("quantize_fp8", quantize<DType::Float8E4M3>("quantize_fp8"));
  ops.reference("quantize_int8", referenceQuantize<DType::Int8>);
  ops.reference("quantize_fp8", referenceQuantize<DType::Float8E4M3>);
}

}  // namespace opscope
