// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// Tensors are [batch, sequence, heads, width]; the last `queries` of the keys are the queries' own.
struct AttentionSizes {
  std::int64_t batches, queries, keys, heads, kvHeads, width;

  /// Rows of a query [batch, query, head], and of the first key of its head.
  std::int64_t rows() const { return batches * queries * heads; }
  std::int64_t firstKey(std::int64_t row) const {
    const std::int64_t batch = row / heads / queries;
    return (batch * keys * kvHeads + row % heads / (heads / kvHeads)) * width;
  }
  std::int64_t seen(std::int64_t row) const { return row / heads % queries + 1 + keys - queries; }
};

// The ops' dimensions, by what they call them: B, H, D always; Q new tokens; S keys; G heads of keys.
template <typename Dim>
AttentionSizes sizesFrom(const std::string& op, Dim dim) {
  const bool prefill = op.ends_with("prefill"), grouped = op.starts_with("gqa");
  return {dim("B"),
          !prefill ? 1 : grouped ? dim("Q") : dim("S"),
          dim("S"),
          dim("H"),
          grouped ? dim("G") : dim("H"),
          dim("D")};
}

template <typename Element>
void attend(const Element* q, const Element* k, const Element* v, Element* y, const AttentionSizes& s) {
  const std::int64_t stride = s.kvHeads * s.width;
  const float scale = 1.0f / std::sqrt(static_cast<float>(s.width));
  std::vector<float> weights(static_cast<std::size_t>(s.keys)), out(static_cast<std::size_t>(s.width));
  for (std::int64_t row = 0; row < s.rows(); ++row) {
    const std::int64_t first = s.firstKey(row), seen = s.seen(row);
    float largest = -std::numeric_limits<float>::infinity(), sum = 0;
    for (std::int64_t key = 0; key < seen; ++key) {
      float score = 0;
      for (std::int64_t i = 0; i < s.width; ++i)
        score += toFloat(q[row * s.width + i]) * toFloat(k[first + key * stride + i]);
      weights[static_cast<std::size_t>(key)] = score * scale;
      largest = std::max(largest, score * scale);
    }
    std::fill(out.begin(), out.end(), 0.0f);
    for (std::int64_t key = 0; key < seen; ++key) {
      const float weight = std::exp(weights[static_cast<std::size_t>(key)] - largest);
      sum += weight;
      for (std::int64_t i = 0; i < s.width; ++i)
        out[static_cast<std::size_t>(i)] += weight * toFloat(v[first + key * stride + i]);
    }
    for (std::int64_t i = 0; i < s.width; ++i)
      fromFloat(out[static_cast<std::size_t>(i)] / sum, y[row * s.width + i]);
  }
}

host::Function attention(const std::string& op) {
  return oneKernel(op, "q", [op]<typename Element>(const host::CallContext& context, Element*) {
    return [q = elementsOf<const Element>(context.tensor("q")),
            k = elementsOf<const Element>(context.tensor("k")),
            v = elementsOf<const Element>(context.tensor("v")), y = elementsOf<Element>(context.tensor("y")),
            sizes = sizesFrom(op, [&](const char* dim) { return context.integer(dim); })] {
      attend(q, k, v, y, sizes);
    };
  });
}

Reference referenceAttention(const std::string& op) {
  return [op](const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
              std::span<ReferenceValue> values) {
    const AttentionSizes s = sizesFrom(op, [&](const char* dim) { return input.dims.at(dim); });
    const HostTensor &k = input.inputs.at("k"), &v = input.inputs.at("v");
    const std::int64_t stride = s.kvHeads * s.width;
    byRow(indices, values, s.width, [&](std::int64_t row, auto asked, auto to) {
      const std::vector<double> query = rowOf(input.inputs.at("q"), row, s.width);
      const std::int64_t first = s.firstKey(row);
      std::vector<double> weights(static_cast<std::size_t>(s.seen(row))), held(query.size());
      for (std::size_t key = 0; key < weights.size(); ++key) {
        loadRow(k, first + static_cast<std::int64_t>(key) * stride, 1, held);
        for (std::size_t i = 0; i < held.size(); ++i) weights[key] += query[i] * held[i];
      }
      const double largest = *std::max_element(weights.begin(), weights.end());
      double sum = 0;
      for (double& weight : weights) {
        weight = std::exp((weight - largest) / std::sqrt(static_cast<double>(s.width)));
        sum += weight;
      }
      std::vector<double> column(weights.size());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        loadRow(v, first + asked[i] % s.width, stride, column);
        to[i] = {};
        for (std::size_t key = 0; key < column.size(); ++key) {
          to[i].value += weights[key] * column[key] / sum;
          to[i].magnitude += weights[key] * std::abs(column[key]) / sum;
        }
      }
    });
  };
}

}  // namespace

void registerAttention(HostOps& ops) {
  for (const std::string op : {"mha_prefill", "gqa_prefill", "mha_decode", "gqa_decode"}) {
    ops.function(op, attention(op));
    ops.reference(op, referenceAttention(op));
  }
}

}  // namespace opscope
