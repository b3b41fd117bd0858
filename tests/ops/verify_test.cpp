// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <cmath>
#include <limits>

#include "device/host/host_device.h"
#include "ops/catalogue.h"
#include "ops/prepared.h"
#include "small_op.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;

namespace {

/// y = 2 x on the host, spoilt afterwards in the way of each test.
Verification verifyWith(std::int64_t m, std::int64_t n, const std::function<void(float* x, float* y)>& spoil,
                        DType dtype = DType::Float32, const std::string& output = "shape: [M, N]}") {
  host::Functions functions;
  functions.add("trap.twice", [&](host::CallContext& context) {
    const host::Tensor &x = context.tensor("x"), &y = context.tensor("y");
    context.launch("twice", [&spoil, x, y] {
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        const auto at = static_cast<std::size_t>(i) * bytesOf(x.dtype);
        storeElement(y.dtype, y.data + at, 2 * loadElement(x.dtype, x.data + at));
      }
      spoil(reinterpret_cast<float*>(x.data), reinterpret_cast<float*>(y.data));
    });
  });
  const OpSpec op = parseOps(opscope::testing::broken("y: {shape: [M, N]}", "y: {" + output),
                             opscope::testing::smallOpFile())
                        .at(0);
  const auto device = host::openHostDevice(functions);
  Tensors tensors(*device, makeProblem(op, "", dtype, {{"M", m}, {"N", n}}, 42));
  PreparedCall call = prepare(tensors, "direct");
  return verify(tensors, call);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("a right result passes, whole when it is small", "[ops]") {
  const Verification result = verifyWith(3, 5, [](float*, float*) {});
  CHECK(result.checked);
  CHECK(result.passed);
  CHECK(result.reason.empty());
  CHECK(result.elements == 15);
  CHECK(result.compared == 15);
  CHECK(result.tolerance == 1e-5);
  CHECK(result.worst == 0);
}

TEST_CASE("an output may say itself how far off it may be", "[ops]") {
  const auto spoil = [](float* x, float* y) { y[13] = 2 * x[13] * 1.0001f; };
  CHECK(verifyWith(3, 5, spoil, DType::Float32, "shape: [M, N], tolerance: {float32: 2e-4}}").passed);
  CHECK_FALSE(verifyWith(3, 5, spoil, DType::Float32, "shape: [M, N], tolerance: {float16: 2e-4}}").passed);
  const auto shift = [](float*, float* y) { y[13] += 0.4f; };
  CHECK(verifyWith(3, 5, shift, DType::Float32, "shape: [M, N], absolute: 0.5}").passed);
  CHECK_FALSE(verifyWith(3, 5, shift, DType::Float32, "shape: [M, N], absolute: 0.3}").passed);
}

TEST_CASE("one wrong element fails and is named", "[ops]") {
  const Verification result = verifyWith(3, 5, [](float* x, float* y) { y[13] = 2 * x[13] * 1.0001f; });
  CHECK_FALSE(result.passed);
  CHECK(result.where == "y[2, 3]");
  CHECK(std::abs(result.worst - 1e-4) < 1e-6);
  CHECK(std::abs(result.got / result.expected - 1.0001) < 1e-6);
  CHECK_THAT(result.reason, ContainsSubstring("y[2, 3] is "));
}

TEST_CASE("an error within the tolerance passes", "[ops]") {
  const Verification result = verifyWith(3, 5, [](float* x, float* y) { y[13] = 2 * x[13] * 1.000005f; });
  CHECK(result.passed);
  CHECK(result.worst > 4e-6);
  CHECK(result.where == "y[2, 3]");
}

TEST_CASE("NaN, infinity and elements that nobody wrote fail", "[ops]") {
  Verification result = verifyWith(3, 5, [](float*, float* y) { y[4] = kNan; });
  CHECK_FALSE(result.passed);
  CHECK(result.reason == "y[0, 4] is NaN");
  CHECK(std::isnan(result.worst));
  result = verifyWith(3, 5, [](float*, float* y) { y[4] = std::numeric_limits<float>::infinity(); });
  CHECK_FALSE(result.passed);
  result = verifyWith(
      3, 5, [](float*, float* y) { std::fill_n(reinterpret_cast<std::byte*>(y + 14), 4, std::byte{0xff}); });
  CHECK_FALSE(result.passed);
  CHECK(result.reason == "y[2, 4] was never written");
  CHECK(std::isfinite(result.expected));
}

TEST_CASE("a large output is sampled, its ends always", "[ops]") {
  constexpr std::int64_t kRows = 300, kColumns = 1000;
  Verification result = verifyWith(kRows, kColumns, [](float*, float*) {});
  CHECK(result.passed);
  CHECK(result.elements == 300'000);
  CHECK(result.compared > 3'000);
  CHECK(result.compared <= 4'096);
  for (const std::int64_t at :
       {std::int64_t{0}, std::int64_t{1}, kColumns - 1, kColumns, kRows * kColumns - 1}) {
    CAPTURE(at);
    result = verifyWith(kRows, kColumns, [at](float*, float* y) { y[at] += 1; });
    CHECK_FALSE(result.passed);
  }
  // NaN and unwritten elements are found wherever they are.
  result = verifyWith(kRows, kColumns, [](float*, float* y) { y[123'457] = kNan; });
  CHECK(result.reason == "y[123, 457] is NaN");
}

TEST_CASE("a call that changes its input fails", "[ops]") {
  const Verification result = verifyWith(3, 5, [](float* x, float*) { x[7] += 1; });
  CHECK_FALSE(result.passed);
  CHECK(result.reason == "the call changed its input at x[1, 2]");
}

TEST_CASE("rounding to half, subnormals included, is no error", "[ops]") {
  const Verification result = verifyWith(100, 300, [](float*, float*) {}, DType::Float16);
  CHECK(result.passed);
  CHECK(result.tolerance == 1e-3);
}

TEST_CASE("without a reference nothing is claimed", "[ops]") {
  host::Functions functions;
  functions.add("trap.twice", [](host::CallContext&) {});
  const OpSpec op =
      parseOps(opscope::testing::broken("  reference: twice\n", ""), opscope::testing::smallOpFile()).at(0);
  const auto device = host::openHostDevice(functions);
  Tensors tensors(*device, makeProblem(op, "small", DType::Float32, {}, 1));
  PreparedCall call = prepare(tensors, "direct");
  const Verification result = verify(tensors, call);
  CHECK_FALSE(result.checked);
  CHECK_FALSE(result.passed);
}
