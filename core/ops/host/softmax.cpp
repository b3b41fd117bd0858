// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

template <bool logarithm>
host::Function softmax(const std::string& name) {
  return oneKernel(name, "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            rows = context.integer("M"), n = context.integer("N")] {
      for (std::int64_t row = 0; row < rows; ++row) {
        const Element* from = x + row * n;
        float largest = -std::numeric_limits<float>::infinity(), sum = 0;
        for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, toFloat(from[i]));
        for (std::int64_t i = 0; i < n; ++i) sum += std::exp(toFloat(from[i]) - largest);
        const float logOfSum = std::log(sum);
        for (std::int64_t i = 0; i < n; ++i) {
          const float difference = toFloat(from[i]) - largest;
          fromFloat(logarithm ? difference - logOfSum : std::exp(difference) / sum, y[row * n + i]);
        }
      }
    };
  });
}

template <bool logarithm>
void referenceSoftmax(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                      std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("N");
  byRow(indices, values, n, [&](std::int64_t row, auto asked, auto to) {
    const std::vector<double> x = rowOf(input.inputs.at("x"), row, n);
    const double largest = *std::max_element(x.begin(), x.end());
    double sum = 0;
    for (const double value : x) sum += std::exp(value - largest);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const double difference = x[static_cast<std::size_t>(asked[i] % n)] - largest;
      to[i] = logarithm ? ReferenceValue{difference - std::log(sum), -difference + std::abs(std::log(sum))}
                        : exactly(std::exp(difference) / sum);
    }
  });
}

}  // namespace

void registerSoftmax(HostOps& ops) {
  ops.function("softmax", softmax<false>("softmax"));
  ops.function("log_softmax", softmax<true>("log_softmax"));
  ops.reference("softmax", referenceSoftmax<false>);
  ops.reference("log_softmax", referenceSoftmax<true>);
}

}  // namespace opscope
