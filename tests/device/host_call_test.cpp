// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>

#include "base/error.h"
#include "device/host_fixture.h"

namespace opscope::host {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("a call that the host cannot run is refused when it is prepared") {
  HostFixture host([](CallContext&) {});
  Device& device = *host.device;
  const auto memory = device.allocate(64);
  CHECK_THROWS_MATCHES(device.prepare({.label = "op/x", .body = HostFunctionCall{"no such"}}), UnknownName,
                       MessageMatches(ContainsSubstring("op/x") && ContainsSubstring("\"no such\"") &&
                                      ContainsSubstring("There are: f")));
  CHECK_THROWS_AS(device.prepare({.label = "op/x", .body = KernelProgram{}}), NotSupported);
  CHECK_THROWS_AS(device.prepare({.label = "op/x", .body = LibraryCall{"cublaslt.gemm"}}), NotSupported);

  const auto refuses = [&](const TensorArg& tensor, const std::string& why) {
    CHECK_THROWS_MATCHES(host.prepare({tensor}), BadInput, MessageMatches(ContainsSubstring(why)));
  };
  refuses({"x", DType::Float32, {17}, memory.get()}, "takes 68 bytes, its memory has 64");
  refuses({"x", DType::Float32, {-1}, memory.get()}, "[-1]");
  refuses({"x", DType::Float32, {std::int64_t{1} << 40, std::int64_t{1} << 40}, memory.get()},
          "cannot have the shape");
  refuses({"x", DType::Float32, {4}, nullptr}, "has no memory");
  CHECK_THROWS_AS(
      host.prepare({{"x", DType::Float32, {4}, memory.get()}, {"x", DType::Int32, {4}, memory.get()}}),
      BadInput);
  CHECK_NOTHROW(
      host.prepare({{"x", DType::Float32, {4, 4}, memory.get()}, {"s", DType::Float16, {}, memory.get()}}));
}

TEST_CASE("a function sees its tensors and numbers, and is told what the op lacks") {
  bool looked = false;
  HostFixture host([&](CallContext& context) {
    const Tensor& x = context.tensor("x");
    CHECK(x.dtype == DType::Int32);
    CHECK(x.shape == std::vector<std::int64_t>{2, 3});
    CHECK(x.elements() == 6);
    CHECK(context.tensor("s").elements() == 1);
    CHECK(context.tensor("none").elements() == 0);
    CHECK_THROWS_MATCHES(context.tensor("y"), UnknownName, MessageMatches(ContainsSubstring("\"y\"")));
    CHECK(context.integer("M") == 4096);
    CHECK(context.real("M") == 4096.0);
    CHECK(context.real("eps") == 1e-5);
    CHECK(context.integer("two") == 2);
    CHECK_THROWS_AS(context.integer("eps"), BadInput);
    CHECK_THROWS_AS(context.integer("huge"), BadInput);
    CHECK_THROWS_AS(context.integer("nan"), BadInput);
    CHECK_THROWS_AS(context.integer("K"), UnknownName);
    CHECK_THROWS_AS(context.real("K"), UnknownName);
    looked = true;
  });
  const auto memory = host.device->allocate(24);
  const auto number = [](double value) { return ScalarArg{.floating = true, .real = value}; };
  host.prepare({{"x", DType::Int32, {2, 3}, memory.get()},
                {"s", DType::Int32, {}, memory.get()},
                {"none", DType::Int32, {5, 0}, memory.get()}},
               {{"M", {.integer = 4096}},
                {"eps", number(1e-5)},
                {"two", number(2)},
                {"huge", number(1e300)},
                {"nan", number(std::nan(""))}})
      ->issue();
  CHECK(looked);
}

TEST_CASE("a copy moves bytes and is recorded as a memop, with its own launch record") {
  HostFixture host(
      [](CallContext& context) { context.copy(context.tensor("to"), context.tensor("from"), 2); });
  const std::vector<std::int32_t> values{1, -2, 3, -4};
  const auto from = host.device->allocate(16);
  const auto to = host.device->allocate(16);
  host.device->copyToDevice(*from, std::as_bytes(std::span(values)));
  const auto call =
      host.prepare({{"from", DType::Int32, {4}, from.get()}, {"to", DType::Float32, {2, 2}, to.get()}});
  const Trace trace = host.record(*call, 11);
  CHECK(trace.kernels.empty());
  REQUIRE(trace.memops.size() == 1);
  const MemopRecord& memop = trace.memops[0];
  CHECK(memop.kind == MemopKind::CopyDtoD);
  CHECK(memop.bytes == 16);
  CHECK(memop.streamId == 2);
  CHECK(memop.start <= memop.end);
  REQUIRE(launchOf(trace, memop.correlationId) != nullptr);
  CHECK(launchOf(trace, memop.correlationId)->kind == LaunchKind::Copy);
  CHECK(ExternalIds(trace.externalIds)[memop.correlationId] == 11);
  std::vector<std::int32_t> copied(4);
  host.device->copyToHost(std::as_writable_bytes(std::span(copied)), *to);
  CHECK(copied == values);
}

TEST_CASE("a copy between tensors of different sizes is refused") {
  HostFixture host([](CallContext& context) { context.copy(context.tensor("to"), context.tensor("from")); });
  const auto memory = host.device->allocate(16);
  const auto call =
      host.prepare({{"from", DType::Int32, {4}, memory.get()}, {"to", DType::Int32, {3}, memory.get()}});
  CHECK_THROWS_MATCHES(call->issue(), BadInput,
                       MessageMatches(ContainsSubstring("16 bytes into a tensor of 12 bytes")));
}

TEST_CASE("functions have one name each") {
  Functions functions;
  functions.add("a", [](CallContext&) {});
  CHECK_THROWS_AS(functions.add("a", [](CallContext&) {}), InternalError);
  CHECK_THROWS_AS(functions.add("b", nullptr), InternalError);
  CHECK(functions.find("a") != nullptr);
  CHECK(functions.find("b") == nullptr);
  CHECK(functions.names() == std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace opscope::host
