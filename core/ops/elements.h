// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/error.h"
#include "device/dtype.h"

namespace opscope {

// loadElement and storeElement choose by dtype for every element; whole tensors are converted here, where the
// dtype is a type and the loop around a conversion can be vectorised. Rounding is to nearest even.

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

inline float toFloat(float value) {
  return value;
}

inline float toFloat(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

// Shifts the half's exponent and mantissa to where a float has them and corrects the bias by a
// multiplication, which is exact and also normalises subnormals.
inline float toFloat(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::uint32_t rest = static_cast<std::uint32_t>(value.bits & 0x7fffu) << 13;
  const float scaled = std::bit_cast<float>(rest) * 0x1p112f;
  const std::uint32_t special = rest >= 0x0f800000u ? 0x7f800000u : 0u;  // infinity and NaN
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

inline void fromFloat(float value, float& to) {
  to = value;
}

inline void fromFloat(float value, BFloat16& to) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
  to.bits = static_cast<std::uint16_t>(isNan ? (bits >> 16) | 0x40u : rounded);
}

inline void fromFloat(float value, Half& to) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // Below the smallest normal half the adder does the rounding: adding 0.5 aligns the mantissa with the steps
  // of a subnormal half.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const std::uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
  const std::uint32_t large = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  to.bits = static_cast<std::uint16_t>(sign | (magnitude < 0x477ff000u ? finite : large));
}

/// Calls `run` with a null pointer of the element type of float32, float16 or bfloat16: what turns a dtype
/// into a type.
template <typename Run>
void withElementType(DType dtype, Run&& run) {
  switch (dtype) {
    case DType::Float32:
      return run(static_cast<float*>(nullptr));
    case DType::Float16:
      return run(static_cast<Half*>(nullptr));
    case DType::BFloat16:
      return run(static_cast<BFloat16*>(nullptr));
    case DType::Int32:
    case DType::Int64:
    case DType::Int8:
    case DType::Float8E4M3:
      break;
  }
  throw NotSupported("Elements of float32, float16 or bfloat16 are needed, not " +
                     std::string(nameOf(dtype)));
}

}  // namespace opscope
