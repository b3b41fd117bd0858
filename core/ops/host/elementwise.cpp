// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// y[i] = f(x[i]). The reference says the magnitude too, where it is not that of the result.
template <float (*function)(float)>
host::Function mapped(const std::string& name) {
  return oneKernel(name, "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            n = context.tensor("x").elements()] {
      for (std::int64_t i = 0; i < n; ++i) fromFloat(function(toFloat(x[i])), y[i]);
    };
  });
}

template <ReferenceValue (*function)(double)>
void referenceOf(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                 std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  for (std::size_t i = 0; i < indices.size(); ++i) values[i] = function(elementOf(x, indices[i]));
}

float relu(float x) {
  return std::max(x, 0.0f);
}
float exponential(float x) {
  return std::exp(x);
}
float sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}
float silu(float x) {
  return x * sigmoid(x);
}
float gelu(float x) {
  return 0.5f * x * (1.0f + std::erf(x * 0.70710678f));
}

ReferenceValue exactRelu(double x) {
  return exactly(std::max(x, 0.0));
}
ReferenceValue exactExp(double x) {
  return exactly(std::exp(x));
}
ReferenceValue exactSigmoid(double x) {
  return exactly(1 / (1 + std::exp(-x)));
}
ReferenceValue exactSilu(double x) {
  return exactly(x / (1 + std::exp(-x)));
}
// 1 + erf cancels for negative x, so that its rounding is relative to the 1.
ReferenceValue exactGelu(double x) {
  const double erf = std::erf(x / std::sqrt(2.0));
  return {0.5 * x * (1 + erf), 0.5 * std::abs(x) * (1 + std::abs(erf))};
}

void issueClamp(host::CallContext& context) {
  const auto low = static_cast<float>(context.real("low")), high = static_cast<float>(context.real("high"));
  oneKernel("clamp", "x", [=]<typename Element>(const host::CallContext& call, Element*) {
    return [x = elementsOf<const Element>(call.tensor("x")), y = elementsOf<Element>(call.tensor("y")),
            n = call.tensor("x").elements(), low, high] {
      for (std::int64_t i = 0; i < n; ++i) fromFloat(std::min(std::max(toFloat(x[i]), low), high), y[i]);
    };
  })(context);
}

void referenceClamp(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                    std::span<ReferenceValue> values) {
  const double low = input.params.at("low"), high = input.params.at("high");
  for (std::size_t i = 0; i < indices.size(); ++i)
    values[i] = exactly(std::clamp(elementOf(input.inputs.at("x"), indices[i]), low, high));
}

void referenceSiluAndMul(const ReferenceInput& input, const std::string&,
                         std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  const std::int64_t n = input.dims.at("N");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t gate = indices[i] + indices[i] / n * n;
    values[i] = exactly(exactSilu(elementOf(x, gate)).value * elementOf(x, gate + n));
  }
}

void referenceMul(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                  std::span<ReferenceValue> values) {
  for (std::size_t i = 0; i < indices.size(); ++i)
    values[i] = exactly(elementOf(input.inputs.at("x"), indices[i]) *
                        elementOf(input.inputs.at("other"), indices[i]));
}

}  // namespace

void registerElementwise(HostOps& ops) {
  ops.function("relu", mapped<relu>("relu"));
  ops.function("exp", mapped<exponential>("exp"));
  ops.function("sigmoid", mapped<sigmoid>("sigmoid"));
  ops.function("silu", mapped<silu>("silu"));
  ops.function("gelu", mapped<gelu>("gelu"));
  ops.function("clamp", issueClamp);
  ops.function(
      "silu_and_mul",
      oneKernel("silu_and_mul", "x", []<typename Element>(const host::CallContext& context, Element*) {
        return
            [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
             rows = context.integer("M"), n = context.integer("N")] {
              for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t i = 0; i < n; ++i)
                  fromFloat(silu(toFloat(x[2 * row * n + i])) * toFloat(x[(2 * row + 1) * n + i]),
                            y[row * n + i]);
            };
      }));
  ops.function("mul", oneKernel("mul", "x", []<typename Element>(const host::CallContext& context, Element*) {
                 return [x = elementsOf<const Element>(context.tensor("x")),
                         other = elementsOf<const Element>(context.tensor("other")),
                         y = elementsOf<Element>(context.tensor("y")), n = context.integer("n")] {
                   for (std::int64_t i = 0; i < n; ++i) fromFloat(toFloat(x[i]) * toFloat(other[i]), y[i]);
                 };
               }));
  ops.reference("relu", referenceOf<exactRelu>);
  ops.reference("exp", referenceOf<exactExp>);
  ops.reference("sigmoid", referenceOf<exactSigmoid>);
  ops.reference("silu", referenceOf<exactSilu>);
  ops.reference("gelu", referenceOf<exactGelu>);
  ops.reference("clamp", referenceClamp);
  ops.reference("silu_and_mul", referenceSiluAndMul);
  ops.reference("mul", referenceMul);
}

}  // namespace opscope
