// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

host::Function bmm() {
  return oneKernel("bmm", "a", []<typename Element>(const host::CallContext& context, Element*) {
    return [a = elementsOf<const Element>(context.tensor("a")),
            w = elementsOf<const Element>(context.tensor("w")), c = elementsOf<Element>(context.tensor("c")),
            batches = context.integer("b"), m = context.integer("m"), n = context.integer("n"),
            k = context.integer("k")] {
      std::vector<float> sums(static_cast<std::size_t>(n));
      for (std::int64_t row = 0; row < batches * m; ++row) {
        std::fill(sums.begin(), sums.end(), 0.0f);
        for (std::int64_t i = 0; i < k; ++i) {
          const float left = toFloat(a[row * k + i]);
          const Element* right = w + (row / m * k + i) * n;
          for (std::int64_t j = 0; j < n; ++j) sums[static_cast<std::size_t>(j)] += left * toFloat(right[j]);
        }
        for (std::int64_t j = 0; j < n; ++j) fromFloat(sums[static_cast<std::size_t>(j)], c[row * n + j]);
      }
    };
  });
}

std::vector<float> floatsOf(const host::Tensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(loadElement(tensor.dtype, tensor.data + i * bytesOf(tensor.dtype)));
  return values;
}

void issueGemmFp8(host::CallContext& context) {
  const host::Tensor a = context.tensor("a"), b = context.tensor("b");
  const auto *scaleA = elementsOf<const float>(context.tensor("scale_a")),
             *scaleB = elementsOf<const float>(context.tensor("scale_b"));
  auto* c = elementsOf<BFloat16>(context.tensor("c"));
  const std::int64_t m = context.integer("m"), n = context.integer("n"), k = context.integer("k");
  context.launch("gemm_fp8", [=] {
    const std::vector<float> left = floatsOf(a), right = floatsOf(b);
    for (std::int64_t row = 0; row < m; ++row)
      for (std::int64_t column = 0; column < n; ++column) {
        const float *from = left.data() + row * k, *with = right.data() + column * k;
        float sum = 0;
        for (std::int64_t i = 0; i < k; ++i) sum += from[i] * with[i];
        fromFloat(sum * *scaleA * *scaleB, c[row * n + column]);
      }
  });
}

ReferenceValue dot(const std::vector<double>& a, const std::vector<double>& b, double scale) {
  ReferenceValue result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    result.value += a[i] * b[i];
    result.magnitude += std::abs(a[i] * b[i]);
  }
  return {result.value * scale, result.magnitude * scale};
}

void referenceBmm(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                  std::span<ReferenceValue> values) {
  const std::int64_t m = input.dims.at("m"), n = input.dims.at("n"), k = input.dims.at("k");
  byRow(indices, values, n, [&](std::int64_t row, auto asked, auto to) {
    const std::vector<double> left = rowOf(input.inputs.at("a"), row, k);
    std::vector<double> right(left.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      loadRow(input.inputs.at("w"), row / m * k * n + asked[i] % n, n, right);
      to[i] = dot(left, right, 1);
    }
  });
}

void referenceGemmFp8(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                      std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("n"), k = input.dims.at("k");
  const double scale = elementOf(input.inputs.at("scale_a"), 0) * elementOf(input.inputs.at("scale_b"), 0);
  byRow(indices, values, n, [&](std::int64_t row, auto asked, auto to) {
    const std::vector<double> left = rowOf(input.inputs.at("a"), row, k);
    for (std::size_t i = 0; i < asked.size(); ++i)
      to[i] = dot(left, rowOf(input.inputs.at("b"), asked[i] % n, k), scale);
  });
}

}  // namespace

void registerBatchedGemm(HostOps& ops) {
  ops.function("bmm", bmm());
  ops.function("gemm_fp8", issueGemmFp8);
  ops.reference("bmm", referenceBmm);
  ops.reference("gemm_fp8", referenceGemmFp8);
}

}  // namespace opscope
