// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

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

void referenceAdd(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                  std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  const HostTensor& other = input.inputs.at("other");
  const std::int64_t channels = input.dims.at("channels"), inner = input.dims.at("inner");
  const bool broadcast = input.dims.at("broadcast") != 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i];
    const double a = elementOf(x, index);
    const double b = elementOf(other, broadcast ? index / inner % channels : index);
    values[i] = {a + b, std::abs(a) + std::abs(b)};
  }
}

}  // namespace

void registerAdd(HostOps& ops) {
  ops.reference("add", referenceAdd);
  ops.function("add.vectorised", issueAdd<true>);
  ops.function("add.scalar", issueAdd<false>);
}

}  // namespace opscope
