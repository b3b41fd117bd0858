// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/reference_builtin.h"

namespace opscope {

// y[m, n] = x[m, n] / sqrt(mean over n of x[m, n]^2 + eps) * weight[n]. The mean adds up positive terms only,
// so that its rounding is relative to the value itself.
void referenceRmsNorm(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                      std::span<ReferenceValue> values) {
  const HostTensor& x = input.inputs.at("x");
  const HostTensor& weight = input.inputs.at("weight");
  const std::int64_t n = input.dims.at("N");
  const double eps = input.params.at("eps");
  std::int64_t row = -1;
  double scale = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    // Ascending indices: every row is summed once.
    if (indices[i] / n != row) {
      row = indices[i] / n;
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const double value = elementOf(x, row * n + j);
        sum += value * value;
      }
      scale = 1 / std::sqrt(sum / static_cast<double>(n) + eps);
    }
    const double value = elementOf(x, indices[i]) * scale * elementOf(weight, indices[i] % n);
    values[i] = {value, std::abs(value)};
  }
}

}  // namespace opscope
