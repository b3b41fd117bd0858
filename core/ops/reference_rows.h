// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/elements.h"
#include "ops/reference.h"

namespace opscope {

// What references share. All compute in fp64 from the inputs as they were rounded to their dtype.

/// One element of an input.
inline double elementOf(const HostTensor& tensor, std::int64_t index) {
  return loadElement(tensor.dtype,
                     tensor.bytes.data() + static_cast<std::size_t>(index) * bytesOf(tensor.dtype));
}

/// `to.size()` elements from `first` on, `step` apart, converted at once: element by element the dtype would
/// be looked at for each.
inline void loadRow(const HostTensor& tensor, std::int64_t first, std::int64_t step, std::span<double> to) {
  const auto convert = [&]<typename Element>(Element*) {
    const auto* from = reinterpret_cast<const Element*>(tensor.bytes.data()) + first;
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<double>(toFloat(from[static_cast<std::int64_t>(i) * step]));
  };
  if (tensor.dtype == DType::Float32 || tensor.dtype == DType::Float16 || tensor.dtype == DType::BFloat16)
    return withElementType(tensor.dtype, convert);
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = elementOf(tensor, first + static_cast<std::int64_t>(i) * step);
}

/// The row of `n` elements that `tensor` has from element row * n on.
inline std::vector<double> rowOf(const HostTensor& tensor, std::int64_t row, std::int64_t n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  loadRow(tensor, row * n, 1, values);
  return values;
}

/// Ascending indices, taken by rows of `n`: each(row, indices, values) is called once for every row that is
/// asked for, so that what is common to a row is computed once.
template <typename Each>
void byRow(std::span<const std::int64_t> indices, std::span<ReferenceValue> values, std::int64_t n,
           Each each) {
  for (std::size_t i = 0; i < indices.size();) {
    const std::int64_t row = indices[i] / n;
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end] / n == row) ++end;
    each(row, indices.subspan(i, end - i), values.subspan(i, end - i));
    i = end;
  }
}

/// The nearest value of the dtype.
inline double rounded(DType dtype, double value) {
  std::byte bytes[8] = {};
  storeElement(dtype, bytes, value);
  return loadElement(dtype, bytes);
}

/// A value that rounds relative to itself.
inline ReferenceValue exactly(double value) {
  return {value, std::abs(value)};
}

}  // namespace opscope
