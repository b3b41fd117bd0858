// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// The indices of a row by falling value; of equal values the lower index first.
template <typename Value>
std::vector<std::int64_t> byFallingValue(const std::vector<Value>& row) {
  std::vector<std::int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
  });
  return order;
}

host::Function gate() {
  return oneKernel("moe_gate", "logits", []<typename Element>(const host::CallContext& context, Element*) {
    return [logits = elementsOf<const Element>(context.tensor("logits")),
            weights = elementsOf<float>(context.tensor("weights")),
            ids = elementsOf<std::int32_t>(context.tensor("ids")), tokens = context.integer("T"),
            experts = context.integer("E"), k = context.integer("K")] {
      std::vector<float> row(static_cast<std::size_t>(experts));
      for (std::int64_t token = 0; token < tokens; ++token) {
        for (std::int64_t e = 0; e < experts; ++e)
          row[static_cast<std::size_t>(e)] = toFloat(logits[token * experts + e]);
        const std::vector<std::int64_t> order = byFallingValue(row);
        const float largest = row[static_cast<std::size_t>(order[0])];
        float sum = 0;
        for (const float value : row) sum += std::exp(value - largest);
        for (std::int64_t choice = 0; choice < k; ++choice) {
          const std::int64_t id = order[static_cast<std::size_t>(choice)];
          ids[token * k + choice] = static_cast<std::int32_t>(id);
          weights[token * k + choice] = std::exp(row[static_cast<std::size_t>(id)] - largest) / sum;
        }
      }
    };
  });
}

void referenceGate(const ReferenceInput& input, const std::string& output,
                   std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  byRow(indices, values, input.dims.at("K"), [&](std::int64_t token, auto asked, auto to) {
    const std::vector<double> row = rowOf(input.inputs.at("logits"), token, input.dims.at("E"));
    const std::vector<std::int64_t> order = byFallingValue(row);
    double sum = 0;
    for (const double value : row) sum += std::exp(value);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::int64_t id = order[static_cast<std::size_t>(asked[i] % input.dims.at("K"))];
      to[i] = exactly(output == "ids" ? static_cast<double>(id)
                                      : std::exp(row[static_cast<std::size_t>(id)]) / sum);
    }
  });
}

// Where each assignment goes when they are sorted by expert, stably, and where each expert's begin.
struct Places {
  std::vector<std::int64_t> inverse, source, offsets;

  Places(const std::vector<std::int64_t>& ids, std::int64_t experts)
      : inverse(ids.size()), source(ids.size()), offsets(static_cast<std::size_t>(experts) + 1) {
    for (const std::int64_t id : ids) ++offsets[static_cast<std::size_t>(id) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<std::int64_t> next = offsets;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      inverse[i] = next[static_cast<std::size_t>(ids[i])]++;
      source[static_cast<std::size_t>(inverse[i])] = static_cast<std::int64_t>(i);
    }
  }
};

host::Function permute() {
  return oneKernel("moe_permute", "hidden", []<typename Element>(const host::CallContext& context, Element*) {
    return [hidden = elementsOf<const Element>(context.tensor("hidden")),
            ids = elementsOf<const std::int32_t>(context.tensor("ids")),
            sorted = elementsOf<Element>(context.tensor("sorted")),
            inverse = elementsOf<std::int32_t>(context.tensor("inverse")),
            offsets = elementsOf<std::int64_t>(context.tensor("offsets")),
            sizes = elementsOf<std::int64_t>(context.tensor("sizes")), tokens = context.integer("T"),
            k = context.integer("K"), n = context.integer("H"), experts = context.integer("E")] {
      const Places places({ids, ids + tokens * k}, experts);
      for (std::int64_t e = 0; e < experts; ++e) {
        offsets[e] = places.offsets[static_cast<std::size_t>(e)];
        sizes[e] = places.offsets[static_cast<std::size_t>(e) + 1] - offsets[e];
      }
      offsets[experts] = tokens * k;
      for (std::int64_t i = 0; i < tokens * k; ++i) {
        inverse[i] = static_cast<std::int32_t>(places.inverse[static_cast<std::size_t>(i)]);
        std::copy_n(hidden + i / k * n, n, sorted + inverse[i] * n);
      }
    };
  });
}

void referencePermute(const ReferenceInput& input, const std::string& output,
                      std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const HostTensor &hidden = input.inputs.at("hidden"), &ids = input.inputs.at("ids");
  const std::int64_t n = input.dims.at("H"), k = input.dims.at("K"), experts = input.dims.at("E");
  std::vector<std::int64_t> assigned;
  for (std::int64_t i = 0; i < ids.elements(); ++i)
    assigned.push_back(static_cast<std::int64_t>(elementOf(ids, i)));
  const Places places(assigned, experts);
  const auto number = [](std::int64_t value) { return exactly(static_cast<double>(value)); };
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto at = static_cast<std::size_t>(indices[i]);
    if (output == "inverse")
      values[i] = number(places.inverse[at]);
    else if (output == "offsets")
      values[i] = number(places.offsets[at]);
    else if (output == "sizes")
      values[i] = number(std::count(assigned.begin(), assigned.end(), indices[i]));
    else
      values[i] = exactly(elementOf(
          hidden, places.source[static_cast<std::size_t>(indices[i] / n)] / k * n + indices[i] % n));
  }
}

host::Function unpermute() {
  return oneKernel("moe_unpermute", "sorted",
                   []<typename Element>(const host::CallContext& context, Element*) {
                     return [sorted = elementsOf<const Element>(context.tensor("sorted")),
                             inverse = elementsOf<const std::int32_t>(context.tensor("inverse")),
                             weights = elementsOf<const float>(context.tensor("weights")),
                             y = elementsOf<Element>(context.tensor("y")), tokens = context.integer("T"),
                             k = context.integer("K"), n = context.integer("H")] {
                       for (std::int64_t token = 0; token < tokens; ++token)
                         for (std::int64_t i = 0; i < n; ++i) {
                           float sum = 0;
                           for (std::int64_t choice = token * k; choice < (token + 1) * k; ++choice)
                             sum += weights[choice] * toFloat(sorted[inverse[choice] * n + i]);
                           fromFloat(sum, y[token * n + i]);
                         }
                     };
                   });
}

void referenceUnpermute(const ReferenceInput& input, const std::string&,
                        std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("H"), k = input.dims.at("K");
  for (std::size_t i = 0; i < indices.size(); ++i) {
    values[i] = {};
    for (std::int64_t choice = indices[i] / n * k; choice < (indices[i] / n + 1) * k; ++choice) {
      const auto row = static_cast<std::int64_t>(elementOf(input.inputs.at("inverse"), choice));
      const double term = elementOf(input.inputs.at("weights"), choice) *
                          elementOf(input.inputs.at("sorted"), row * n + indices[i] % n);
      values[i].value += term;
      values[i].magnitude += std::abs(term);
    }
  }
}

}  // namespace

void registerMoe(HostOps& ops) {
  ops.function("moe_gate", gate());
  ops.function("moe_permute", permute());
  ops.function("moe_unpermute", unpermute());
  ops.reference("moe_gate", referenceGate);
  ops.reference("moe_permute", referencePermute);
  ops.reference("moe_unpermute", referenceUnpermute);
}

}  // namespace opscope
