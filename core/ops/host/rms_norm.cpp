// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <vector>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// Eight sums side by side: fast, and more exact than one.
float sumOf(const float* values, std::int64_t count, auto&& term) {
  constexpr std::int64_t kLanes = 8;
  float lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(values[i + lane]);
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  for (; i < count; ++i) sum += term(values[i]);
  return sum;
}

template <typename Element>
void onePass(const Element* x, const Element* weight, Element* y, std::int64_t rows, std::int64_t n,
             float eps) {
  std::vector<float> row(static_cast<std::size_t>(n)), scales(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) scales[static_cast<std::size_t>(j)] = toFloat(weight[j]);
  float* const held = row.data();
  const float* const w = scales.data();
  for (std::int64_t i = 0; i < rows; ++i) {
    const Element* from = x + i * n;
    Element* to = y + i * n;
    for (std::int64_t j = 0; j < n; ++j) held[j] = toFloat(from[j]);
    const float squares = sumOf(held, n, [](float v) { return v * v; });
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(n) + eps);
    for (std::int64_t j = 0; j < n; ++j) fromFloat(held[j] * scale * w[j], to[j]);
  }
}

void issueOnePass(host::CallContext& context) {
  const host::Tensor &x = context.tensor("x"), &weight = context.tensor("weight"), &y = context.tensor("y");
  const std::int64_t rows = context.integer("M"), n = context.integer("N");
  const auto eps = static_cast<float>(context.real("eps"));
  withElementType(x.dtype, [&]<typename Element>(Element*) {
    const auto *from = elementsOf<Element>(x), *scales = elementsOf<Element>(weight);
    auto* to = elementsOf<Element>(y);
    context.launch("rms_norm_one_pass", [=] { onePass(from, scales, to, rows, n, eps); });
  });
}

// What an eager framework launches for x.float().pow(2).mean(-1) and so on: one kernel per operator, each
// with its result in memory.
template <typename Element>
void issueEager(host::CallContext& context, Element*) {
  const auto* x = elementsOf<Element>(context.tensor("x"));
  const auto* weight = elementsOf<Element>(context.tensor("weight"));
  auto* y = elementsOf<Element>(context.tensor("y"));
  auto* wide = elementsOf<float>(context.tensor("wide"));
  auto* squares = elementsOf<float>(context.tensor("squares"));
  auto* sums = elementsOf<float>(context.tensor("sums"));
  auto* narrow = elementsOf<Element>(context.tensor("narrow"));
  const std::int64_t rows = context.integer("M"), n = context.integer("N"), elements = rows * n;
  const auto eps = static_cast<float>(context.real("eps"));

  context.launch("to_float", [=] {
    for (std::int64_t i = 0; i < elements; ++i) wide[i] = toFloat(x[i]);
  });
  context.launch("square", [=] {
    for (std::int64_t i = 0; i < elements; ++i) squares[i] = wide[i] * wide[i];
  });
  context.launch("mean_rows", [=] {
    for (std::int64_t i = 0; i < rows; ++i)
      sums[i] = sumOf(squares + i * n, n, [](float v) { return v; }) / static_cast<float>(n);
  });
  context.launch("add_eps", [=] {
    for (std::int64_t i = 0; i < rows; ++i) sums[i] += eps;
  });
  context.launch("reciprocal_root", [=] {
    for (std::int64_t i = 0; i < rows; ++i) sums[i] = 1.0f / std::sqrt(sums[i]);
  });
  context.launch("scale_rows", [=] {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = i * n; j < (i + 1) * n; ++j) squares[j] = wide[j] * sums[i];
  });
  context.launch("from_float", [=] {
    for (std::int64_t i = 0; i < elements; ++i) fromFloat(squares[i], narrow[i]);
  });
  context.launch("times_weight", [=] {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        fromFloat(toFloat(narrow[i * n + j]) * toFloat(weight[j]), y[i * n + j]);
  });
}

// y[m, n] = x[m, n] / sqrt(mean over n of x[m, n]^2 + eps) * weight[n]. The mean adds up positive terms only,
// so that its rounding is relative to the value itself.
void referenceRmsNorm(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                      std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  const HostTensor& weight = input.inputs.at("weight");
  const std::int64_t n = input.dims.at("N");
  const double eps = input.params.at("eps");
  std::int64_t row = -1;
  double scale = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    // Ascending indices: every row is summed once.
    if (indices[i] / n != row) {
      row = indices[i] / n;
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const double value = elementOf(x, row * n + j);
        sum += value * value;
      }
      scale = 1 / std::sqrt(sum / static_cast<double>(n) + eps);
    }
    const double value = elementOf(x, indices[i]) * scale * elementOf(weight, indices[i] % n);
    values[i] = {value, std::abs(value)};
  }
}

// The sum is rounded to its dtype before it is normalised, since it is a result as well.
template <typename Element>
void addAndNormalise(const Element* x, const Element* residual, const Element* weight, Element* y,
                     Element* sum, std::int64_t rows, std::int64_t n, float eps) {
  for (std::int64_t i = 0; i < rows * n; ++i) fromFloat(toFloat(x[i]) + toFloat(residual[i]), sum[i]);
  onePass(sum, weight, y, rows, n, eps);
}

void issueFusedAdd(host::CallContext& context) {
  const std::int64_t rows = context.integer("M"), n = context.integer("N");
  const auto eps = static_cast<float>(context.real("eps"));
  withElementType(context.tensor("x").dtype, [&]<typename Element>(Element*) {
    const auto *x = elementsOf<Element>(context.tensor("x")),
               *residual = elementsOf<Element>(context.tensor("residual")),
               *weight = elementsOf<Element>(context.tensor("weight"));
    auto *y = elementsOf<Element>(context.tensor("y")), *sum = elementsOf<Element>(context.tensor("sum_out"));
    context.launch("fused_add_rms_norm", [=] { addAndNormalise(x, residual, weight, y, sum, rows, n, eps); });
  });
}

void referenceFusedAdd(const ReferenceInput& input, const std::string& output,
                       std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const HostTensor &x = input.inputs.at("x"), &residual = input.inputs.at("residual");
  const std::int64_t n = input.dims.at("N");
  byRow(indices, values, n, [&](std::int64_t row, auto asked, auto to) {
    std::vector<double> sum = rowOf(x, row, n);
    const std::vector<double> other = rowOf(residual, row, n);
    std::vector<double> magnitudes(sum.size());
    double squares = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      magnitudes[i] = std::abs(sum[i]) + std::abs(other[i]);
      sum[i] += other[i];
      // What is normalised is the sum as it is stored.
      const double stored = output == "y" ? rounded(x.dtype, sum[i]) : sum[i];
      squares += stored * stored;
      sum[i] = stored;
    }
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + input.params.at("eps"));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto column = static_cast<std::size_t>(asked[i] % n);
      const double factor = output == "y" ? scale * elementOf(input.inputs.at("weight"), asked[i] % n) : 1.0;
      to[i] = {sum[column] * factor, magnitudes[column] * std::abs(factor)};
    }
  });
}

}  // namespace

void registerRmsNorm(HostOps& ops) {
  ops.function("fused_add_rms_norm", issueFusedAdd);
  ops.reference("fused_add_rms_norm", referenceFusedAdd);
  ops.reference("rms_norm", referenceRmsNorm);
  ops.function("rms_norm.one_pass", issueOnePass);
  ops.function("rms_norm.eager", [](host::CallContext& context) {
    withElementType(context.tensor("x").dtype, [&](auto* element) { issueEager(context, element); });
  });
}

}  // namespace opscope
