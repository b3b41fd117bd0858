// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

struct Statistics {
  double mean = 0, rstd = 0;
};

// Spans of `inner` elements, the first at `first`, the others `step` apart.
struct Spans {
  std::int64_t first, step, count, inner;
};

Statistics exactStatistics(const HostTensor& x, const Spans& spans, double eps) {
  Statistics s;
  const auto elements = static_cast<double>(spans.count * spans.inner);
  std::vector<double> held(static_cast<std::size_t>(spans.inner));
  const auto each = [&](auto add) {
    for (std::int64_t span = 0; span < spans.count; ++span) {
      loadRow(x, spans.first + span * spans.step, 1, held);
      for (const double value : held) add(value);
    }
  };
  each([&](double value) { s.mean += value / elements; });
  double squares = 0;
  each([&](double value) { squares += (value - s.mean) * (value - s.mean); });
  s.rstd = 1 / std::sqrt(squares / elements + eps);
  return s;
}

template <typename Element>
Statistics statisticsOf(const Element* x, const Spans& spans, double eps) {
  Statistics s;
  const double elements = static_cast<double>(spans.count * spans.inner);
  double sum = 0, squares = 0;
  for (std::int64_t span = 0; span < spans.count; ++span)
    for (std::int64_t i = 0; i < spans.inner; ++i) {
      const double value = static_cast<double>(toFloat(x[spans.first + span * spans.step + i]));
      sum += value;
      squares += value * value;
    }
  s.mean = sum / elements;
  s.rstd = 1 / std::sqrt(squares / elements - s.mean * s.mean + eps);
  return s;
}

template <typename Element>
void normaliseSpan(const Element* x, Element* y, std::int64_t inner, const Statistics& s, float weight,
                   float bias) {
  const auto mean = static_cast<float>(s.mean), factor = static_cast<float>(s.rstd) * weight;
  for (std::int64_t i = 0; i < inner; ++i) fromFloat((toFloat(x[i]) - mean) * factor + bias, y[i]);
}

host::Function batchNorm() {
  return oneKernel("batch_norm", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return
        [x = elementsOf<const Element>(context.tensor("x")),
         weight = elementsOf<const float>(context.tensor("weight")),
         bias = elementsOf<const float>(context.tensor("bias")), y = elementsOf<Element>(context.tensor("y")),
         mean = elementsOf<float>(context.tensor("mean")), rstd = elementsOf<float>(context.tensor("rstd")),
         images = context.integer("images"), channels = context.integer("channels"),
         inner = context.integer("inner"), eps = context.real("eps")] {
          for (std::int64_t c = 0; c < channels; ++c) {
            const Statistics s = statisticsOf(x, {c * inner, channels * inner, images, inner}, eps);
            mean[c] = static_cast<float>(s.mean);
            rstd[c] = static_cast<float>(s.rstd);
            for (std::int64_t image = 0; image < images; ++image) {
              const std::int64_t at = (image * channels + c) * inner;
              normaliseSpan(x + at, y + at, inner, s, weight[c], bias[c]);
            }
          }
        };
  });
}

host::Function groupNorm() {
  return oneKernel("group_norm", "x", []<typename Element>(const host::CallContext& context, Element*) {
    return [x = elementsOf<const Element>(context.tensor("x")),
            weight = elementsOf<const Element>(context.tensor("weight")),
            bias = elementsOf<const Element>(context.tensor("bias")),
            y = elementsOf<Element>(context.tensor("y")), images = context.integer("images"),
            channels = context.integer("channels"), groups = context.integer("groups"),
            inner = context.integer("inner"), eps = context.real("eps")] {
      const std::int64_t perGroup = channels / groups;
      for (std::int64_t group = 0; group < images * groups; ++group) {
        const Statistics s = statisticsOf(x, {group * perGroup * inner, 0, 1, perGroup * inner}, eps);
        for (std::int64_t i = 0; i < perGroup; ++i) {
          const std::int64_t span = group * perGroup + i, c = span % channels;
          normaliseSpan(x + span * inner, y + span * inner, inner, s, toFloat(weight[c]), toFloat(bias[c]));
        }
      }
    };
  });
}

ReferenceValue normalised(double x, const Statistics& s, double weight, double bias) {
  const double factor = s.rstd * weight;
  return {(x - s.mean) * factor + bias, (std::abs(x) + std::abs(s.mean)) * std::abs(factor) + std::abs(bias)};
}

void referenceBatchNorm(const ReferenceInput& input, const std::string& output,
                        std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  const std::int64_t images = input.dims.at("images"), channels = input.dims.at("channels"),
                     inner = input.dims.at("inner");
  std::map<std::int64_t, Statistics> known;
  const auto of = [&](std::int64_t c) -> const Statistics& {
    auto found = known.find(c);
    if (found == known.end())
      found = known
                  .emplace(c, exactStatistics(x, {c * inner, channels * inner, images, inner},
                                              input.params.at("eps")))
                  .first;
    return found->second;
  };
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t c = output == "y" ? indices[i] / inner % channels : indices[i];
    const Statistics& s = of(c);
    if (output == "y")
      values[i] = normalised(elementOf(x, indices[i]), s, elementOf(input.inputs.at("weight"), c),
                             elementOf(input.inputs.at("bias"), c));
    else if (output ==
             "mean")  // what is added up is of the size of the deviation, also where the mean is small
      values[i] = {s.mean, std::abs(s.mean) + 1 / s.rstd};
    else
      values[i] = exactly(s.rstd);
  }
}

void referenceGroupNorm(const ReferenceInput& input, const std::string&,
                        std::span<const std::int64_t> indices, std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  const std::int64_t channels = input.dims.at("channels"), inner = input.dims.at("inner");
  const std::int64_t perGroup = channels / input.dims.at("groups") * inner;
  byRow(indices, values, perGroup, [&](std::int64_t group, auto asked, auto to) {
    const Statistics s = exactStatistics(x, {group * perGroup, 0, 1, perGroup}, input.params.at("eps"));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::int64_t c = asked[i] / inner % channels;
      to[i] = normalised(elementOf(x, asked[i]), s, elementOf(input.inputs.at("weight"), c),
                         elementOf(input.inputs.at("bias"), c));
    }
  });
}

}  // namespace

void registerChannelNorm(HostOps& ops) {
  ops.function("batch_norm", batchNorm());
  ops.function("group_norm", groupNorm());
  ops.reference("batch_norm", referenceBatchNorm);
  ops.reference("group_norm", referenceGroupNorm);
}

}  // namespace opscope
