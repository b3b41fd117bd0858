// SPDX-License-Identifier: Apache-2.0
#include "device/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace opscope {
namespace {

// A 16-bit IEEE-like format: one sign bit, the rest split between exponent and mantissa.
template <int ExponentBits, int MantissaBits>
struct Small {
  static constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int kLowestExponent = 1 - kBias;
  static constexpr std::uint16_t kInfinity =
      static_cast<std::uint16_t>(((1 << ExponentBits) - 1) << MantissaBits);
  static constexpr std::uint16_t kQuietNan = static_cast<std::uint16_t>(kInfinity | 1 << (MantissaBits - 1));

  // Straight from double, in one rounding: by way of float, a value just beside a tie would round twice.
  static std::uint16_t encode(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
    const int biased = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (biased == 0x7ff) return static_cast<std::uint16_t>(sign | (fraction != 0 ? kQuietNan : kInfinity));
    const int exponent = biased - 1023;
    const int below = exponent < kLowestExponent ? kLowestExponent - exponent : 0;
    const int shift = 52 - MantissaBits + below;
    if (shift > 53) return sign;  // less than half of the smallest subnormal
    const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    std::uint64_t rounded = significand >> shift;
    if (rest > half || (rest == half && (rounded & 1) != 0)) ++rounded;
    // The implicit bit, and a carry out of the mantissa, both add one to the exponent field.
    if (below == 0) rounded += static_cast<std::uint64_t>(exponent - kLowestExponent) << MantissaBits;
    return static_cast<std::uint16_t>(sign | (rounded < kInfinity ? rounded : kInfinity));
  }

  static double decode(std::uint16_t bits) {
    const std::uint64_t sign = static_cast<std::uint64_t>(bits >> 15) << 63;
    const int biased = (bits & 0x7fff) >> MantissaBits;
    const std::uint64_t mantissa = bits & ((1U << MantissaBits) - 1);
    if (biased == 0) {
      const double magnitude = std::ldexp(static_cast<double>(mantissa), kLowestExponent - MantissaBits);
      return sign != 0 ? -magnitude : magnitude;
    }
    const bool special = biased == (1 << ExponentBits) - 1;
    const std::uint64_t exponent = special ? 0x7ff : static_cast<std::uint64_t>(biased - kBias + 1023);
    return std::bit_cast<double>(sign | exponent << 52 | mantissa << (52 - MantissaBits));
  }
};
using Half = Small<5, 10>;
using BFloat = Small<8, 7>;

// One sign, four exponent and three mantissa bits; the pattern of all ones is NaN, and there is no infinity.
struct E4M3 {
  static constexpr std::uint8_t kLargest = 0x7e;  // 448
  static constexpr std::uint8_t kNan = 0x7f;

  static std::uint8_t encode(double value) {
    const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
    if (std::isnan(value)) return sign | kNan;
    const double magnitude = std::abs(value);
    if (magnitude >= 448) return sign | kLargest;
    constexpr int kLowestExponent = -6;
    int exponent = magnitude > 0 ? std::max(std::ilogb(magnitude), kLowestExponent) : kLowestExponent;
    auto significand = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 3 - exponent)));
    if (significand < 8) return static_cast<std::uint8_t>(sign | significand);  // subnormal, or zero
    if (significand == 16) {
      significand = 8;
      ++exponent;
    }
    return static_cast<std::uint8_t>(sign | (exponent + 7) << 3 | (significand - 8));
  }

  static double decode(std::uint8_t bits) {
    const int biased = bits >> 3 & 15, mantissa = bits & 7;
    double magnitude = 0;
    if ((bits & 0x7f) == kNan)
      magnitude = std::numeric_limits<double>::quiet_NaN();
    else if (biased == 0)
      magnitude = std::ldexp(mantissa, -9);
    else
      magnitude = std::ldexp(8 + mantissa, biased - 10);
    return (bits & 0x80) != 0 ? -magnitude : magnitude;
  }
};

template <class T>
T read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void write(std::byte* bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

// Saturates, and takes NaN for 0: a cast out of range would be undefined.
template <class T>
T toInteger(double value) {
  if (std::isnan(value)) return 0;
  const double rounded = std::nearbyint(value);
  // The upper limit of a 64-bit integer is no double; the power of two above it is.
  constexpr double kBeyond = -static_cast<double>(std::numeric_limits<T>::min());
  if (rounded >= kBeyond) return std::numeric_limits<T>::max();
  if (rounded <= -kBeyond) return std::numeric_limits<T>::min();
  return static_cast<T>(rounded);
}

constexpr std::array<std::pair<std::string_view, DType>, 11> kNames{{
    {"float32", DType::Float32},
    {"float16", DType::Float16},
    {"bfloat16", DType::BFloat16},
    {"int32", DType::Int32},
    {"int64", DType::Int64},
    {"int8", DType::Int8},
    {"float8_e4m3fn", DType::Float8E4M3},
    {"fp32", DType::Float32},
    {"fp16", DType::Float16},
    {"bf16", DType::BFloat16},
    {"fp8", DType::Float8E4M3},
}};

}  // namespace

std::string_view nameOf(DType dtype) {
  for (const auto& [name, value] : kNames)
    if (value == dtype) return name;
  return "unknown";
}

std::optional<DType> dtypeFromName(std::string_view name) {
  for (const auto& [known, value] : kNames)
    if (known == name) return value;
  return std::nullopt;
}

std::size_t bytesOf(DType dtype) {
  switch (dtype) {
    case DType::Float32:
    case DType::Int32:
      return 4;
    case DType::Float16:
    case DType::BFloat16:
      return 2;
    case DType::Int64:
      return 8;
    case DType::Int8:
    case DType::Float8E4M3:
      return 1;
  }
  return 0;
}

bool isFloating(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Float16 || dtype == DType::BFloat16 ||
         dtype == DType::Float8E4M3;
}

double loadElement(DType dtype, const std::byte* bytes) {
  switch (dtype) {
    case DType::Float32:
      return static_cast<double>(read<float>(bytes));
    case DType::Float16:
      return Half::decode(read<std::uint16_t>(bytes));
    case DType::BFloat16:
      return BFloat::decode(read<std::uint16_t>(bytes));
    case DType::Int32:
      return read<std::int32_t>(bytes);
    case DType::Int64:
      return static_cast<double>(read<std::int64_t>(bytes));
    case DType::Int8:
      return read<std::int8_t>(bytes);
    case DType::Float8E4M3:
      return E4M3::decode(read<std::uint8_t>(bytes));
  }
  return 0;
}

void storeElement(DType dtype, std::byte* bytes, double value) {
  switch (dtype) {
    case DType::Float32:
      return write(bytes, static_cast<float>(value));
    case DType::Float16:
      return write(bytes, Half::encode(value));
    case DType::BFloat16:
      return write(bytes, BFloat::encode(value));
    case DType::Int32:
      return write(bytes, toInteger<std::int32_t>(value));
    case DType::Int64:
      return write(bytes, toInteger<std::int64_t>(value));
    case DType::Int8:
      return write(bytes, toInteger<std::int8_t>(value));
    case DType::Float8E4M3:
      return write(bytes, E4M3::encode(value));
  }
}

}  // namespace opscope
