// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "ops/host/host_ops.h"
#include "ops/reference_rows.h"

namespace opscope {
namespace {

// Stockham's form, which sorts itself, two points at a time. n is a power of two.
void transform(std::vector<std::complex<float>>& row, std::vector<std::complex<float>>& other) {
  const std::size_t half = row.size() / 2;
  for (std::size_t length = 1; length < row.size(); length *= 2) {
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t k = i % length;
      const double angle = -std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
      const std::complex<float> turned = row[i + half] * std::complex<float>(std::polar(1.0, angle));
      other[2 * i - k] = row[i] + turned;
      other[2 * i - k + length] = row[i] - turned;
    }
    row.swap(other);
  }
}

void issueFft(host::CallContext& context) {
  const auto* x = elementsOf<const std::complex<float>>(context.tensor("x"));
  auto* y = elementsOf<std::complex<float>>(context.tensor("y"));
  const std::int64_t rows = context.integer("M"), n = context.integer("N");
  context.launch("fft_c2c", [=] {
    std::vector<std::complex<float>> row(static_cast<std::size_t>(n)), other(static_cast<std::size_t>(n));
    for (std::int64_t r = 0; r < rows; ++r) {
      row.assign(x + r * n, x + (r + 1) * n);
      transform(row, other);
      std::copy(row.begin(), row.end(), y + r * n);
    }
  });
}

// By the definition, point by point: a fast transform could share its mistakes with what it is to judge.
void referenceFft(const ReferenceInput& input, const std::string&, std::span<const std::int64_t> indices,
                  std::span<ReferenceValue> values) {
  const std::int64_t n = input.dims.at("N");
  std::vector<std::complex<double>> turns(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    turns[static_cast<std::size_t>(i)] =
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  byRow(indices, values, 2 * n, [&](std::int64_t row, auto asked, auto to) {
    const std::vector<double> x = rowOf(input.inputs.at("x"), row, 2 * n);
    double squares = 0;
    for (const double part : x) squares += part * part;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::int64_t point = asked[i] % (2 * n) / 2;
      std::complex<double> sum = 0;
      for (std::int64_t j = 0; j < n; ++j)
        sum +=
            std::complex<double>(x[static_cast<std::size_t>(2 * j)], x[static_cast<std::size_t>(2 * j + 1)]) *
            turns[static_cast<std::size_t>(point * j % n)];
      // The error of a fast transform is relative to the norm of its row, spread evenly over the points.
      const double value = asked[i] % 2 == 0 ? sum.real() : sum.imag();
      to[i] = {value, std::max(std::abs(value), std::sqrt(squares))};
    }
  });
}

}  // namespace

void registerFft(HostOps& ops) {
  ops.function("fft_c2c", issueFft);
  ops.reference("fft_c2c", referenceFft);
}

}  // namespace opscope
