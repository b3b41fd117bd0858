// SPDX-License-Identifier: Apache-2.0
#include "ops/elements.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <random>

using namespace opscope;

namespace {

// Counts instead of one assertion per value: there are hundreds of thousands of them.
template <typename Element>
int differencesFrom(DType dtype, float value) {
  Element fast{};
  fromFloat(value, fast);
  std::uint16_t slow = 0;
  storeElement(dtype, reinterpret_cast<std::byte*>(&slow), static_cast<double>(value));
  return fast.bits != slow ? 1 : 0;
}

}  // namespace

TEST_CASE("hand-worked conversions", "[ops]") {
  Half half{};
  fromFloat(1.0f, half);
  CHECK(half.bits == 0x3c00);
  fromFloat(-2.0f, half);
  CHECK(half.bits == 0xc000);
  fromFloat(65504.0f, half);
  CHECK(half.bits == 0x7bff);
  fromFloat(65519.9f, half);
  CHECK(half.bits == 0x7bff);
  fromFloat(65520.0f, half);  // halfway to 2^16: even is infinity
  CHECK(half.bits == 0x7c00);
  fromFloat(0x1p-24f, half);
  CHECK(half.bits == 0x0001);
  fromFloat(0x1p-25f, half);  // halfway to zero: even is zero
  CHECK(half.bits == 0x0000);
  fromFloat(0x1.8p-25f, half);
  CHECK(half.bits == 0x0001);
  BFloat16 b{};
  fromFloat(1.0f, b);
  CHECK(b.bits == 0x3f80);
  fromFloat(1.00390625f, b);  // 1 + 2^-8, halfway: even is 1
  CHECK(b.bits == 0x3f80);
  fromFloat(1.01171875f, b);  // 1 + 3 * 2^-8, halfway: even is 1 + 2^-6
  CHECK(b.bits == 0x3f82);
}

TEST_CASE("every 16-bit pattern converts as loadElement says", "[ops]") {
  int halves = 0, bfloats = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const auto* bytes = reinterpret_cast<const std::byte*>(&pattern);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!same(toFloat(Half{pattern}), loadElement(DType::Float16, bytes))) ++halves;
    if (!same(toFloat(BFloat16{pattern}), loadElement(DType::BFloat16, bytes))) ++bfloats;
  }
  CHECK(halves == 0);
  CHECK(bfloats == 0);
}

TEST_CASE("random and halfway floats round as storeElement says", "[ops]") {
  std::mt19937 random(3);
  int halves = 0, bfloats = 0;
  for (int i = 0; i < 300'000; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 3 == 1) bits = (bits & 0xffff0000u) | 0x8000u;      // halfway between two bfloat16
    if (i % 3 == 2) bits = (bits & 0x8fffe000u) | 0x33001000u;  // in a half's range, halfway
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) continue;
    halves += differencesFrom<Half>(DType::Float16, value);
    bfloats += differencesFrom<BFloat16>(DType::BFloat16, value);
  }
  CHECK(halves == 0);
  CHECK(bfloats == 0);
}

TEST_CASE("NaN stays NaN", "[ops]") {
  Half half{};
  BFloat16 b{};
  // A NaN whose payload is in the bits that are cut off must not become infinity.
  for (const std::uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffffffffu}) {
    fromFloat(std::bit_cast<float>(bits), half);
    fromFloat(std::bit_cast<float>(bits), b);
    CHECK(std::isnan(toFloat(half)));
    CHECK(std::isnan(toFloat(b)));
  }
}
