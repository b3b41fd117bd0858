// SPDX-License-Identifier: Apache-2.0
#include "device/dtype.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>

namespace opscope {
namespace {

template <class T>
T stored(DType dtype, double value) {
  std::array<std::byte, 8> bytes{};
  storeElement(dtype, bytes.data(), value);
  T result;
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}
std::uint16_t half(double value) {
  return stored<std::uint16_t>(DType::Float16, value);
}
std::uint16_t bfloat(double value) {
  return stored<std::uint16_t>(DType::BFloat16, value);
}

double loaded16(DType dtype, std::uint16_t bits) {
  std::array<std::byte, 2> bytes{};
  std::memcpy(bytes.data(), &bits, 2);
  return loadElement(dtype, bytes.data());
}

TEST_CASE("dtypes have one name each, and short forms are understood") {
  for (const DType dtype : {DType::Float32, DType::Float16, DType::BFloat16, DType::Int32, DType::Int64,
                            DType::Int8, DType::Float8E4M3})
    CHECK(dtypeFromName(nameOf(dtype)) == dtype);
  CHECK(nameOf(DType::BFloat16) == "bfloat16");
  CHECK(dtypeFromName("fp32") == DType::Float32);
  CHECK(dtypeFromName("fp16") == DType::Float16);
  CHECK(dtypeFromName("bf16") == DType::BFloat16);
  CHECK(dtypeFromName("fp8") == DType::Float8E4M3);
  CHECK_FALSE(dtypeFromName("float64"));
  CHECK_FALSE(dtypeFromName(""));
  CHECK(bytesOf(DType::Float32) == 4);
  CHECK(bytesOf(DType::BFloat16) == 2);
  CHECK(bytesOf(DType::Int64) == 8);
  CHECK(isFloating(DType::Float16));
  CHECK_FALSE(isFloating(DType::Int32));
}

TEST_CASE("float8_e4m3fn is rounded to nearest even, and saturates") {
  const auto bits = [](double value) { return stored<std::uint8_t>(DType::Float8E4M3, value); };
  CHECK(bits(1.0) == 0x38);
  CHECK(bits(-1.5) == 0xbc);
  CHECK(bits(448) == 0x7e);
  CHECK(bits(1e9) == 0x7e);
  CHECK(bits(-1e9) == 0xfe);
  CHECK(bits(0x1p-6) == 0x08);   // the smallest normal
  CHECK(bits(0x1p-9) == 0x01);   // the smallest of all
  CHECK(bits(0x1p-10) == 0x00);  // a tie goes to the even neighbour, zero
  CHECK(bits(0x3p-10) == 0x02);  // and so does this one
  CHECK(bits(17.0) == 0x58);     // between 16 and 18, as far from either
  CHECK(bits(19.0) == 0x5a);     // between 18 and 20
  CHECK(bits(15.9) == 0x58);     // rounds up into the next exponent
  CHECK(bits(-0.0) == 0x80);
  CHECK(bits(std::nan("")) == 0x7f);
  // Every pattern but the two NaNs survives being loaded and stored.
  for (int pattern = 0; pattern < 256; ++pattern) {
    const auto byte = static_cast<std::byte>(pattern);
    const double value = loadElement(DType::Float8E4M3, &byte);
    CHECK(std::isnan(value) == ((pattern & 0x7f) == 0x7f));
    CHECK(int{bits(value)} == pattern);
  }
}

TEST_CASE("int8 is rounded and saturates") {
  const auto value = [](double from) { return int{stored<std::int8_t>(DType::Int8, from)}; };
  CHECK(value(2.5) == 2);
  CHECK(value(-3.5) == -4);
  CHECK(value(127.4) == 127);
  CHECK(value(1000) == 127);
  CHECK(value(-1000) == -128);
  CHECK(value(std::nan("")) == 0);
}

TEST_CASE("float16 is rounded to nearest even, once") {
  CHECK(half(1.0) == 0x3c00);
  CHECK(half(-2.0) == 0xc000);
  CHECK(half(0.1) == 0x2e66);
  CHECK(half(-0.0) == 0x8000);
  CHECK(half(65504) == 0x7bff);      // the largest
  CHECK(half(65519.999) == 0x7bff);  // below half a step above it
  CHECK(half(65520) == 0x7c00);      // a tie goes to the even neighbour, infinity
  CHECK(half(1e300) == 0x7c00);
  CHECK(half(0x1p-14) == 0x0400);      // the smallest normal
  CHECK(half(0x1.ff8p-15) == 0x03ff);  // the largest subnormal
  CHECK(half(0x1.ffcp-15) == 0x0400);  // a tie that carries into the normals
  CHECK(half(0x1p-24) == 0x0001);      // the smallest subnormal
  CHECK(half(0x1p-25) == 0x0000);      // a tie between 0 and it
  CHECK(half(0x1.0000000000001p-25) == 0x0001);
  CHECK(half(0x1p-1074) == 0x0000);
  CHECK(half(1 + 0x1p-11) == 0x3c00);      // ties to even, down
  CHECK(half(1 + 3 * 0x1p-11) == 0x3c02);  // ties to even, up
  // Just above a tie by less than a float holds: by way of float it would be the tie, and go down.
  CHECK(half(1 + 0x1p-11 + 0x1p-40) == 0x3c01);
  CHECK(half(std::numeric_limits<double>::quiet_NaN()) == 0x7e00);
  CHECK(half(-std::numeric_limits<double>::infinity()) == 0xfc00);
}

TEST_CASE("bfloat16 is rounded to nearest even, once") {
  CHECK(bfloat(1.0) == 0x3f80);
  CHECK(bfloat(3.140625) == 0x4049);
  CHECK(bfloat(1 + 0x1p-8) == 0x3f80);
  CHECK(bfloat(1 + 3 * 0x1p-8) == 0x3f82);
  CHECK(bfloat(1 + 0x1p-8 + 0x1p-40) == 0x3f81);
  CHECK(bfloat(3.3895313892515355e38) == 0x7f7f);
  CHECK(bfloat(3.4e38) == 0x7f80);
  CHECK(bfloat(0x1p-133) == 0x0001);
  CHECK(std::isnan(loaded16(DType::BFloat16, bfloat(std::nan("")))));
}

TEST_CASE("every 16-bit pattern survives a round trip") {
  for (const DType dtype : {DType::Float16, DType::BFloat16})
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
      const double value = loaded16(dtype, static_cast<std::uint16_t>(bits));
      if (std::isnan(value)) continue;
      if (stored<std::uint16_t>(dtype, value) != bits) FAIL("bits " << bits << " read as " << value);
    }
  CHECK(loaded16(DType::Float16, 0x3555) == 0.333251953125);
  CHECK(loaded16(DType::Float16, 0x0001) == 0x1p-24);
  CHECK(loaded16(DType::BFloat16, 0xc2f7) == -123.5);
  CHECK(std::isinf(loaded16(DType::Float16, 0x7c00)));
}

TEST_CASE("integers saturate and take NaN for 0") {
  CHECK(stored<std::int32_t>(DType::Int32, 2.5) == 2);
  CHECK(stored<std::int32_t>(DType::Int32, 3.5) == 4);
  CHECK(stored<std::int32_t>(DType::Int32, 2147483647.4) == 2147483647);
  CHECK(stored<std::int32_t>(DType::Int32, 1e10) == std::numeric_limits<std::int32_t>::max());
  CHECK(stored<std::int32_t>(DType::Int32, -1e10) == std::numeric_limits<std::int32_t>::min());
  CHECK(stored<std::int64_t>(DType::Int64, 9.3e18) == std::numeric_limits<std::int64_t>::max());
  CHECK(stored<std::int64_t>(DType::Int64, -9.3e18) == std::numeric_limits<std::int64_t>::min());
  CHECK(stored<std::int64_t>(DType::Int64, std::nan("")) == 0);
  CHECK(stored<float>(DType::Float32, 0.1) == 0.1F);
}

}  // namespace
}  // namespace opscope
