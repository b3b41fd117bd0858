// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

constexpr std::uint32_t mixed(std::uint32_t value) {
  value = (value ^ value >> 16) * 0x7feb352du;
  value = (value ^ value >> 15) * 0x846ca68bu;
  return value ^ value >> 16;
}

bool kept(std::int64_t index, std::uint32_t key, double p) {
  const auto low = static_cast<std::uint32_t>(index), high = static_cast<std::uint32_t>(index >> 32);
  return mixed(low ^ mixed(key + high)) >= static_cast<std::uint32_t>(p * 4294967296.0);
}

host::Function dropout() {
  return oneKernel("dropout", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")), y = elementsOf<Element>(context.tensor("y")),
            n = context.integer("n"), p = context.real("p"),
            key = static_cast<std::uint32_t>(context.integer("random_seed"))] {
      const auto scale = static_cast<float>(1 / (1 - p));
      for (std::int64_t i = 0; i < n; ++i) fromFloat(kept(i, key, p) ? toFloat(x[i]) * scale : 0.0f, y[i]);
    };
  });
}

void referenceDropout(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                      std::span<ReferenceValue> values) {
  const double p = input.params.at("p");
  const auto key = static_cast<std::uint32_t>(static_cast<std::int64_t>(input.params.at("random_seed")));
  for (std::size_t i = 0; i < indices.size(); ++i)
    values[i] =
        exactly(kept(indices[i], key, p) ? elementOf(input.inputs.at("x"), indices[i]) / (1 - p) : 0.0);
}

}  // namespace

void registerDropout(HostOps& ops) {
  ops.function("dropout", dropout());
  ops.reference("dropout", referenceDropout);
}

}  // namespace opscope
