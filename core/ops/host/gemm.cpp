// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

struct GemmSizes {
  std::int64_t m, n, k;
  bool transA, transB;
};

GemmSizes gemmSizesOf(const host::CallContext& context) {
  return {context.integer("m"), context.integer("n"), context.integer("k"), context.integer("trans_a") != 0,
          context.integer("trans_b") != 0};
}

template <typename Element>
float elementOfA(const Element* a, const GemmSizes& s, std::int64_t row, std::int64_t inner) {
  return toFloat(s.transA ? a[inner * s.m + row] : a[row * s.k + inner]);
}

template <typename Element>
float elementOfB(const Element* b, const GemmSizes& s, std::int64_t inner, std::int64_t column) {
  return toFloat(s.transB ? b[column * s.k + inner] : b[inner * s.n + column]);
}

// Three plain loops, as on the blackboard: what the others are compared with.
template <typename Element>
void naive(const Element* a, const Element* b, Element* c, const GemmSizes& s) {
  for (std::int64_t row = 0; row < s.m; ++row)
    for (std::int64_t column = 0; column < s.n; ++column) {
      float sum = 0;
      for (std::int64_t inner = 0; inner < s.k; ++inner)
        sum += elementOfA(a, s, row, inner) * elementOfB(b, s, inner, column);
      fromFloat(sum, c[row * s.n + column]);
    }
}

constexpr std::int64_t kTileRows = 4;
constexpr std::int64_t kTileColumns = 16;

// kTileColumns columns of op(B) as floats, row after row, padded with zeros: read front to back by every
// tile.
template <typename Element>
void packB(const Element* b, const GemmSizes& s, std::int64_t column, std::vector<float>& panel) {
  const std::int64_t width = std::min(kTileColumns, s.n - column);
  for (std::int64_t inner = 0; inner < s.k; ++inner)
    for (std::int64_t j = 0; j < kTileColumns; ++j)
      panel[static_cast<std::size_t>(inner * kTileColumns + j)] =
          j < width ? elementOfB(b, s, inner, column + j) : 0.0f;
}

// All of op(A), kTileRows rows interleaved, padded with zeros.
template <typename Element>
std::vector<float> packA(const Element* a, const GemmSizes& s) {
  const std::int64_t tiles = (s.m + kTileRows - 1) / kTileRows;
  std::vector<float> packed(static_cast<std::size_t>(tiles * kTileRows * s.k));
  for (std::int64_t row = 0; row < s.m; ++row)
    for (std::int64_t inner = 0; inner < s.k; ++inner)
      packed[static_cast<std::size_t>((row / kTileRows * s.k + inner) * kTileRows + row % kTileRows)] =
          elementOfA(a, s, row, inner);
  return packed;
}

// One tile of the result, in registers.
void multiplyTile(const float* a, const float* b, std::int64_t k, float (&sums)[kTileRows][kTileColumns]) {
  for (auto& row : sums)
    for (float& sum : row) sum = 0;
  for (std::int64_t inner = 0; inner < k; ++inner, a += kTileRows, b += kTileColumns)
    for (std::int64_t i = 0; i < kTileRows; ++i)
      for (std::int64_t j = 0; j < kTileColumns; ++j) sums[i][j] += a[i] * b[j];
}

template <typename Element>
void tiled(const Element* a, const Element* b, Element* c, const GemmSizes& s) {
  const std::vector<float> packedA = packA(a, s);
  std::vector<float> panel(static_cast<std::size_t>(s.k * kTileColumns));
  float sums[kTileRows][kTileColumns];
  for (std::int64_t column = 0; column < s.n; column += kTileColumns) {
    packB(b, s, column, panel);
    for (std::int64_t row = 0; row < s.m; row += kTileRows) {
      multiplyTile(packedA.data() + row * s.k, panel.data(), s.k, sums);
      for (std::int64_t i = 0; i < std::min(kTileRows, s.m - row); ++i)
        for (std::int64_t j = 0; j < std::min(kTileColumns, s.n - column); ++j)
          fromFloat(sums[i][j], c[(row + i) * s.n + column + j]);
    }
  }
}

template <bool inTiles>
void issueGemm(host::CallContext& context) {
  const host::Tensor &a = context.tensor("a"), &b = context.tensor("b"), &c = context.tensor("c");
  const GemmSizes sizes = gemmSizesOf(context);
  withElementType(a.dtype, [&]<typename Element>(Element*) {
    const auto *left = elementsOf<Element>(a), *right = elementsOf<Element>(b);
    auto* to = elementsOf<Element>(c);
    context.launch(inTiles ? "gemm_tiled" : "gemm_naive", [=] {
      if constexpr (inTiles)
        tiled(left, right, to, sizes);
      else
        naive(left, right, to, sizes);
    });
  });
}

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

}  // namespace

void registerGemm(HostOps& ops) {
  ops.reference("gemm", referenceGemm);
  ops.function("gemm.tiled", issueGemm<true>);
  ops.function("gemm.naive", issueGemm<false>);
}

}  // namespace opscope
