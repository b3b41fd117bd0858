// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// One value per row: finish(row as floats).
template <float (*reduce)(std::span<const float>)>
host::Function reduced(const std::string& name) {
  return oneKernel(name, "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            rows = context.integer("M"), n = context.integer("N")] {
      std::vector<float> held(static_cast<std::size_t>(n));
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < n; ++i) held[static_cast<std::size_t>(i)] = toFloat(x[row * n + i]);
        fromFloat(reduce(held), y[row]);
      }
    };
  });
}

template <ReferenceValue (*reduce)(std::span<const double>)>
void referenceOf(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                 std::span<ReferenceValue> values) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    values[i] = reduce(rowOf(input.inputs.at("x"), indices[i], input.dims.at("N")));
}

// Eight sums side by side: fast, and more exact than one.
template <typename Term>
float sumOf(std::span<const float> row, Term term) {
  constexpr std::size_t kLanes = 8;
  float lanes[kLanes] = {};
  for (std::size_t i = 0; i < row.size(); ++i) lanes[i % kLanes] += term(row[i]);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

float sum(std::span<const float> row) {
  return sumOf(row, [](float v) { return v; });
}
float mean(std::span<const float> row) {
  return sum(row) / static_cast<float>(row.size());
}
float variance(std::span<const float> row) {
  const float middle = mean(row);
  const float squares = sumOf(row, [middle](float v) { return (v - middle) * (v - middle); });
  return squares / static_cast<float>(std::max<std::size_t>(row.size() - 1, 1));
}
float norm(std::span<const float> row) {
  return std::sqrt(sumOf(row, [](float v) { return v * v; }));
}
float largest(std::span<const float> row) {
  return *std::max_element(row.begin(), row.end());
}

ReferenceValue exactSum(std::span<const double> row) {
  ReferenceValue result;
  for (const double value : row) {
    result.value += value;
    result.magnitude += std::abs(value);
  }
  return result;
}
ReferenceValue exactMean(std::span<const double> row) {
  const ReferenceValue total = exactSum(row);
  const auto n = static_cast<double>(row.size());
  return {total.value / n, total.magnitude / n};
}
ReferenceValue exactVariance(std::span<const double> row) {
  const double middle = exactMean(row).value;
  double squares = 0;
  for (const double value : row) squares += (value - middle) * (value - middle);
  return exactly(squares / static_cast<double>(std::max<std::size_t>(row.size() - 1, 1)));
}
ReferenceValue exactNorm(std::span<const double> row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  return exactly(std::sqrt(squares));
}
ReferenceValue exactLargest(std::span<const double> row) {
  return exactly(*std::max_element(row.begin(), row.end()));
}
// An index is right or wrong: its magnitude is never asked for.
ReferenceValue exactArgmax(std::span<const double> row) {
  return exactly(static_cast<double>(std::max_element(row.begin(), row.end()) - row.begin()));
}

host::Function argmax() {
  return oneKernel("argmax", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")),
            y = elementsOf<std::int64_t>(context.tensor("y")), rows = context.integer("M"),
            n = context.integer("N")] {
      for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t best = 0;
        for (std::int64_t i = 1; i < n; ++i)
          if (toFloat(x[row * n + i]) > toFloat(x[row * n + best])) best = i;
        y[row] = best;
      }
    };
  });
}

}  // namespace

void registerReduction(HostOps& ops) {
  ops.function("sum", reduced<sum>("sum"));
  ops.function("mean", reduced<mean>("mean"));
  ops.function("var", reduced<variance>("var"));
  ops.function("vector_norm", reduced<norm>("vector_norm"));
  ops.function("max", reduced<largest>("max"));
  ops.function("argmax", argmax());
  ops.reference("sum", referenceOf<exactSum>);
  ops.reference("mean", referenceOf<exactMean>);
  ops.reference("var", referenceOf<exactVariance>);
  ops.reference("vector_norm", referenceOf<exactNorm>);
  ops.reference("max", referenceOf<exactLargest>);
  ops.reference("argmax", referenceOf<exactArgmax>);
}

}  // namespace opscope
