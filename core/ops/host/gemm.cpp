// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "ops/host/host_ops.h"

namespace opscope {
namespace {

struct Sizes {
  std::int64_t m, n, k;
  bool transA, transB;
};

Sizes sizesOf(const host::CallContext& context) {
  return {context.integer("m"), context.integer("n"), context.integer("k"), context.integer("trans_a") != 0,
          context.integer("trans_b") != 0};
}

template <typename Element>
float elementOfA(const Element* a, const Sizes& s, std::int64_t row, std::int64_t inner) {
  return toFloat(s.transA ? a[inner * s.m + row] : a[row * s.k + inner]);
}

template <typename Element>
float elementOfB(const Element* b, const Sizes& s, std::int64_t inner, std::int64_t column) {
  return toFloat(s.transB ? b[column * s.k + inner] : b[inner * s.n + column]);
}

// Three plain loops, as on the blackboard: what the others are compared with.
template <typename Element>
void naive(const Element* a, const Element* b, Element* c, const Sizes& s) {
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
void packB(const Element* b, const Sizes& s, std::int64_t column, std::vector<float>& panel) {
  const std::int64_t width = std::min(kTileColumns, s.n - column);
  for (std::int64_t inner = 0; inner < s.k; ++inner)
    for (std::int64_t j = 0; j < kTileColumns; ++j)
      panel[static_cast<std::size_t>(inner * kTileColumns + j)] =
          j < width ? elementOfB(b, s, inner, column + j) : 0.0f;
}

// All of op(A), kTileRows rows interleaved, padded with zeros.
template <typename Element>
std::vector<float> packA(const Element* a, const Sizes& s) {
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
void tiled(const Element* a, const Element* b, Element* c, const Sizes& s) {
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
  const Sizes sizes = sizesOf(context);
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

}  // namespace

void registerGemm(host::Functions& functions) {
  functions.add("gemm.tiled", issueGemm<true>);
  functions.add("gemm.naive", issueGemm<false>);
}

}  // namespace opscope
