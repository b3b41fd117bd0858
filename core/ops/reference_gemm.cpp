// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "ops/elements.h"
#include "ops/reference_builtin.h"

namespace opscope {
namespace {

struct Matrix {
  const HostTensor& tensor;
  std::int64_t stepOfRow;  // from one row of op(matrix) to the next, in elements
  std::int64_t stepOfColumn;
};

// One row or column of op(matrix), converted once: the dot product then is a plain loop.
template <typename Element>
void gather(const HostTensor& tensor, std::int64_t first, std::int64_t step, std::vector<float>& to) {
  const auto* from = reinterpret_cast<const Element*>(tensor.bytes.data()) + first;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = toFloat(from[static_cast<std::int64_t>(i) * step]);
}

void gather(const HostTensor& tensor, std::int64_t first, std::int64_t step, std::vector<float>& to) {
  withElementType(tensor.dtype,
                  [&]<typename Element>(Element*) { gather<Element>(tensor, first, step, to); });
}

// Four sums side by side, since one chain of additions would wait for itself.
ReferenceValue dot(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr std::size_t kLanes = 4;
  double sum[kLanes] = {}, magnitude[kLanes] = {};
  const auto add = [&](std::size_t lane, std::size_t i) {
    const double product = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    sum[lane] += product;
    magnitude[lane] += std::abs(product);
  };
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(lane, i + lane);
  for (; i < a.size(); ++i) add(0, i);
  return {(sum[0] + sum[1]) + (sum[2] + sum[3]),
          (magnitude[0] + magnitude[1]) + (magnitude[2] + magnitude[3])};
}

}  // namespace

void referenceGemm(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                   std::span<ReferenceValue> values) {
  const std::int64_t m = input.dims.at("m"), n = input.dims.at("n"), k = input.dims.at("k");
  const Matrix a =
      input.dims.at("trans_a") != 0 ? Matrix{input.inputs.at("a"), 1, m} : Matrix{input.inputs.at("a"), k, 1};
  const Matrix b =
      input.dims.at("trans_b") != 0 ? Matrix{input.inputs.at("b"), 1, k} : Matrix{input.inputs.at("b"), n, 1};
  std::vector<float> row(static_cast<std::size_t>(k)), column(static_cast<std::size_t>(k));
  std::int64_t rowHeld = -1, columnHeld = -1;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t r = indices[i] / n, c = indices[i] % n;
    if (r != rowHeld) gather(a.tensor, r * a.stepOfRow, a.stepOfColumn, row);
    if (c != columnHeld) gather(b.tensor, c * b.stepOfColumn, b.stepOfRow, column);
    rowHeld = r;
    columnHeld = c;
    values[i] = dot(row, column);
  }
}

}  // namespace opscope
