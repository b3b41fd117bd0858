// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/host/host_ops.h"

namespace opscope {
namespace {

struct Sizes {
  std::int64_t outer, channels, inner;
  bool broadcast;
};

Sizes sizesOf(const host::CallContext& context) {
  return {context.integer("outer"), context.integer("channels"), context.integer("inner"),
          context.integer("broadcast") != 0};
}

template <typename Element>
void addRange(const Element* x, const Element* other, Element* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) fromFloat(toFloat(x[i]) + toFloat(other[i]), y[i]);
}

// A run of elements that share one broadcast value is a loop of its own, so that it can be vectorised.
template <typename Element>
void addVectorised(const Element* x, const Element* other, Element* y, const Sizes& sizes) {
  if (!sizes.broadcast) return addRange(x, other, y, sizes.outer * sizes.channels * sizes.inner);
  for (std::int64_t outer = 0; outer < sizes.outer; ++outer) {
    if (sizes.inner == 1) {
      addRange(x + outer * sizes.channels, other, y + outer * sizes.channels, sizes.channels);
      continue;
    }
    for (std::int64_t channel = 0; channel < sizes.channels; ++channel) {
      const std::int64_t first = (outer * sizes.channels + channel) * sizes.inner;
      const float value = toFloat(other[channel]);
      for (std::int64_t i = first; i < first + sizes.inner; ++i) fromFloat(toFloat(x[i]) + value, y[i]);
    }
  }
}

// One element at a time, each finding its partner anew.
template <typename Element>
void addScalar(const Element* x, const Element* other, Element* y, const Sizes& sizes) {
  const std::int64_t elements = sizes.outer * sizes.channels * sizes.inner;
  for (std::int64_t i = 0; i < elements; ++i) {
    const std::int64_t j = sizes.broadcast ? i / sizes.inner % sizes.channels : i;
    fromFloat(toFloat(x[i]) + toFloat(other[j]), y[i]);
  }
}

template <bool vectorised>
void issueAdd(host::CallContext& context) {
  const host::Tensor &x = context.tensor("x"), &other = context.tensor("other"), &y = context.tensor("y");
  const Sizes sizes = sizesOf(context);
  withElementType(x.dtype, [&]<typename Element>(Element*) {
    const auto *from = elementsOf<Element>(x), *partner = elementsOf<Element>(other);
    auto* to = elementsOf<Element>(y);
    context.launch(vectorised ? "add_vectorised" : "add_scalar", [=] {
      if constexpr (vectorised)
        addVectorised(from, partner, to, sizes);
      else
        addScalar(from, partner, to, sizes);
    });
  });
}

}  // namespace

void registerAdd(host::Functions& functions) {
  functions.add("add.vectorised", issueAdd<true>);
  functions.add("add.scalar", issueAdd<false>);
}

}  // namespace opscope
