// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "base/large_vector.h"
#include "base/stretches.h"
#include "ops/prepared.h"
#include "ops/reference.h"

namespace opscope {
namespace {

constexpr std::int64_t kWhole = 1 << 15;  // outputs up to this are compared element by element
constexpr std::int64_t kSampled = 4096;   // of larger ones, this many

double toleranceOf(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return 1e-5;
    case DType::Float16:
      return 1e-3;
    case DType::BFloat16:
      return 1.6e-2;
    case DType::Float8E4M3:
      return 6.3e-2;  // half of the last of three mantissa bits, and a little
    case DType::Int32:
    case DType::Int64:
    case DType::Int8:
      return 0;
  }
  return 0;
}

// Below the smallest normal number rounding errs by an absolute amount. Twice that of one rounding, since an
// implementation may round in between as well.
double absoluteSlackOf(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return 2 * 0x1p-149;
    case DType::Float16:
      return 2 * 0x1p-24;
    case DType::BFloat16:
      return 2 * 0x1p-133;
    case DType::Float8E4M3:
      return 0x1p-9;
    case DType::Int32:
    case DType::Int64:
    case DType::Int8:
      return 0;
  }
  return 0;
}

std::string indexText(const HostTensor& tensor, std::int64_t flat) {
  std::vector<std::int64_t> index(tensor.shape.size());
  for (std::size_t d = tensor.shape.size(); d-- > 0;) {
    index[d] = flat % tensor.shape[d];
    flat /= tensor.shape[d];
  }
  std::string text = tensor.spec->name + "[";
  for (std::size_t d = 0; d < index.size(); ++d) text += fmt::format("{}{}", d == 0 ? "" : ", ", index[d]);
  return text + "]";
}

// Every corner of the shape and the neighbours of its ends, where tails and tiles go wrong, then random ones.
std::vector<std::int64_t> sampleIndices(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  const std::int64_t elements =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  std::vector<std::int64_t> indices;
  if (elements <= kWhole) {
    for (std::int64_t i = 0; i < elements; ++i) indices.push_back(i);
    return indices;
  }
  std::vector<std::int64_t> corners{0};
  for (const std::int64_t size : shape) {
    std::vector<std::int64_t> next;
    for (const std::int64_t base : corners)
      for (const std::int64_t at : {std::int64_t{0}, size / 2, size - 1}) next.push_back(base * size + at);
    corners = std::move(next);
    // A shape of many dimensions has more corners than samples are wanted.
    constexpr std::size_t kMostCorners = 243;
    if (corners.size() > kMostCorners) {
      const std::int64_t last = corners.back();
      corners.resize(kMostCorners - 1);
      corners.push_back(last);
    }
  }
  for (const std::int64_t corner : corners)
    for (const std::int64_t step : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}})
      indices.push_back(std::clamp<std::int64_t>(corner + step, 0, elements - 1));
  // Not std::uniform_int_distribution, whose values differ between libraries.
  std::mt19937_64 random(seed);
  while (static_cast<std::int64_t>(indices.size()) < kSampled)
    indices.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(elements)));
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

template <typename Bits>
std::int64_t findNan(std::span<const std::byte> bytes, Bits magnitudeMask, Bits infinity) {
  constexpr std::size_t kWorthAThread = 1 << 20;
  std::atomic<std::size_t> found{bytes.size()};
  inStretches(bytes.size() / sizeof(Bits), kWorthAThread, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Bits bits;
      std::memcpy(&bits, bytes.data() + i * sizeof(Bits), sizeof(Bits));
      if ((bits & magnitudeMask) <= infinity) continue;
      std::size_t least = found.load();
      while (i < least && !found.compare_exchange_weak(least, i)) {
      }
      return;
    }
  });
  return found < bytes.size() ? static_cast<std::int64_t>(found) : -1;
}

/// The first NaN among all elements, -1 without one: on the bits, since 200 million of them are looked at.
std::int64_t firstNan(const HostTensor& tensor) {
  switch (tensor.dtype) {
    case DType::Float32:
      return findNan<std::uint32_t>(tensor.bytes, 0x7fffffffu, 0x7f800000u);
    case DType::Float16:
      return findNan<std::uint16_t>(tensor.bytes, 0x7fff, 0x7c00);
    case DType::BFloat16:
      return findNan<std::uint16_t>(tensor.bytes, 0x7fff, 0x7f80);
    case DType::Float8E4M3:
      return findNan<std::uint8_t>(tensor.bytes, 0x7f, 0x7e);
    case DType::Int32:
    case DType::Int64:
    case DType::Int8:
      break;
  }
  return -1;
}

bool isPoison(const HostTensor& tensor, std::int64_t index) {
  const std::size_t size = bytesOf(tensor.dtype);
  const auto* at = tensor.bytes.data() + static_cast<std::size_t>(index) * size;
  return std::all_of(at, at + size, [](std::byte b) { return b == std::byte{0xff}; });
}

void failed(Verification& result, std::string reason) {
  result.passed = false;
  if (result.reason.empty()) result.reason = std::move(reason);
}

// `slack` is on the error, the tolerance on what is left of it relative to the magnitude.
double quotientOf(double got, const ReferenceValue& expected, double slack) {
  if (std::isinf(got) && got == expected.value) return 0;
  const double error = std::max(0.0, std::abs(got - expected.value) - slack);
  if (error == 0) return 0;
  return expected.magnitude > 0 ? error / expected.magnitude : std::numeric_limits<double>::infinity();
}

/// The worst element of one output.
struct Worst {
  std::int64_t index = 0;
  double quotient = 0;
  double got = 0;
  double expected = 0;
};

Worst worstOf(const HostTensor& output, std::span<const std::int64_t> indices,
              std::span<const ReferenceValue> expected) {
  const double slack = output.spec->absolute.value_or(absoluteSlackOf(output.dtype));
  Worst worst{indices[0], -1, 0, 0};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double got = loadElement(
        output.dtype, output.bytes.data() + static_cast<std::size_t>(indices[i]) * bytesOf(output.dtype));
    const double quotient = quotientOf(got, expected[i], slack);
    if (quotient > worst.quotient || std::isnan(quotient))
      worst = {indices[i], quotient, got, expected[i].value};
    if (std::isnan(quotient)) break;
  }
  return worst;
}

void compareOutput(const ReferenceInput& input, const Reference& compute, const HostTensor& output,
                   const Expected& expected, Verification& result) {
  const auto own = output.spec->tolerance.find(output.dtype);
  const double tolerance = own != output.spec->tolerance.end() ? own->second : toleranceOf(output.dtype);
  result.elements += output.elements();
  result.compared += static_cast<std::int64_t>(expected.indices.size());

  Worst worst = worstOf(output, expected.indices, expected.values);
  std::string reason;
  if (const std::int64_t nan = firstNan(output); nan >= 0) {
    ReferenceValue value;
    compute(input, output.spec->name, {&nan, 1}, {&value, 1});
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    worst = {nan, kNan, kNan, value.value};
    reason =
        fmt::format("{} {}", indexText(output, nan), isPoison(output, nan) ? "was never written" : "is NaN");
  } else if (!(worst.quotient <= tolerance)) {
    reason =
        fmt::format("{} is {:.9g} where {:.9g} is right: off by {:.3g} of its magnitude, {:.3g} allowed",
                    indexText(output, worst.index), worst.got, worst.expected, worst.quotient, tolerance);
  }
  // Of several outputs the first that failed is told, else the one furthest from its reference.
  const bool tell = reason.empty() ? result.passed && (result.where.empty() || worst.quotient > result.worst)
                                   : result.passed;
  if (tell) {
    result.tolerance = tolerance;
    result.worst = worst.quotient;
    result.where = indexText(output, worst.index);
    result.got = worst.got;
    result.expected = worst.expected;
  }
  if (!reason.empty()) failed(result, std::move(reason));
}

void checkInputsUnchanged(Tensors& tensors, Verification& result) {
  Device& device = tensors.device();
  for (const auto& [name, tensor] : tensors.inputs()) {
    if (tensors.isUnchanged(name)) continue;
    UnsetBytes bytes;
    resizeLarge(bytes, tensor.bytes.size());
    device.copyToHost(bytes, tensors.memory(name));
    const auto differs = std::mismatch(bytes.begin(), bytes.end(), tensor.bytes.begin()).first;
    const auto at = (differs - bytes.begin()) / static_cast<std::ptrdiff_t>(bytesOf(tensor.dtype));
    failed(result, fmt::format("the call changed its input at {}", indexText(tensor, at)));
    // The implementations measured after this one shall not inherit the damage.
    device.copyToDevice(tensors.memory(name), tensor.bytes);
  }
}

std::map<std::string, double> paramsOf(const Problem& problem) {
  std::map<std::string, double> params;
  for (const ParamSpec& param : problem.op->params) params[param.name] = param.value;
  return params;
}

}  // namespace

const Expected& Tensors::expected(const TensorSpec& output) {
  if (const auto found = expected_->find(output.name); found != expected_->end()) return found->second;
  Expected expected;
  expected.indices = sampleIndices(shapeOf(problem_, output), problem_.seed);
  expected.values.resize(expected.indices.size());
  const Reference& compute = reference(problem_.op->reference);
  const std::map<std::string, double> params = paramsOf(problem_);
  const ReferenceInput input{inputs(), problem_.dims, params};
  // In stretches, since a reference computes what is common to a row once for every call.
  constexpr std::size_t kWorthAThread = 128;
  inStretches(expected.indices.size(), kWorthAThread, [&](std::size_t first, std::size_t last) {
    compute(input, output.name, std::span(expected.indices).subspan(first, last - first),
            std::span(expected.values).subspan(first, last - first));
  });
  return expected_->emplace(output.name, std::move(expected)).first->second;
}

Verification verify(Tensors& tensors, PreparedCall& call) {
  Verification result;
  const Problem& problem = tensors.problem();
  if (problem.op->reference.empty()) {
    result.reason = fmt::format("{} has no reference to compare with", problem.op->name);
    return result;
  }
  const Reference& compute = reference(problem.op->reference);
  result.checked = true;
  result.passed = true;

  Device& device = tensors.device();
  tensors.poisonOutputs();
  call.call().issue();
  device.drain();

  const std::map<std::string, double> params = paramsOf(problem);
  const ReferenceInput input{tensors.inputs(), problem.dims, params};
  for (const TensorSpec& spec : problem.op->tensors) {
    if (!spec.output) continue;
    compareOutput(input, compute, tensors.readOutput(spec), tensors.expected(spec), result);
  }
  checkInputsUnchanged(tensors, result);
  return result;
}

}  // namespace opscope
