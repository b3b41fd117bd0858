// SPDX-License-Identifier: Apache-2.0
#include "ops/rotation.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <set>

#include "device/host/host_device.h"
#include "small_op.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;

namespace {

// A host device whose caches count as 1 MB at most, and y = 2 x on it, noting where each call wrote.
struct Setup {
  Setup() {
    functions.add("trap.twice", [this](host::CallContext& context) {
      const host::Tensor &x = context.tensor("x"), &y = context.tensor("y");
      written.push_back(y.data);
      const bool wrong = spoilCall != 0 && written.size() == spoilCall;
      context.launch("twice", [x, y, wrong] {
        for (std::int64_t i = 0; i < x.elements(); ++i) {
          const auto at = static_cast<std::size_t>(i) * bytesOf(x.dtype);
          storeElement(y.dtype, y.data + at, (wrong ? 3 : 2) * loadElement(x.dtype, x.data + at));
        }
      });
    });
    device = host::openHostDevice(functions, {.clearBytes = 1 << 20});
  }
  Problem problem(std::int64_t m, std::int64_t n) const {
    return makeProblem(op, "", DType::Float32, {{"M", m}, {"N", n}}, 42);
  }
  const OpSpec op = opscope::testing::smallOp();
  std::vector<std::byte*> written;
  std::size_t spoilCall = 0;
  host::Functions functions;
  std::unique_ptr<Device> device;
};

}  // namespace

TEST_CASE("as many copies as exceed the caches, at least two", "[ops]") {
  const Setup setup;
  const auto cache = setup.device->rotationBytes();
  REQUIRE(cache > 0);
  REQUIRE(cache <= 1 << 20);
  // Two tensors of 64 x 128 floats: 65,536 bytes.
  CHECK(rotationCopies(*setup.device, setup.problem(64, 128)) == cache / 65'536 + 1);
  CHECK(rotationCopies(*setup.device, setup.problem(1024, 1024)) == 2);
}

TEST_CASE("tensors too small to fill the caches are refused, with how many it would take", "[ops]") {
  const Setup setup;
  try {
    rotationCopies(*setup.device, setup.problem(3, 5));
    FAIL("120 bytes were rotated");
  } catch (const NotSupported& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("120") && ContainsSubstring("1024"));
    CHECK_THAT(error.info().remedy, ContainsSubstring("--l2 clean"));
  }
}

TEST_CASE("a rotating call is verified on every copy and takes them in turn", "[ops]") {
  Setup setup;
  Tensors tensors(*setup.device, setup.problem(64, 128));
  Rotation rotation(tensors, 3);
  PreparedCall call = rotation.prepare("direct");
  const Verification found = rotation.verify(call);
  CHECK(found.checked);
  CHECK(found.passed);
  REQUIRE(setup.written.size() == 3);
  CHECK(std::set<std::byte*>(setup.written.begin(), setup.written.end()).size() == 3);
  for (int i = 0; i < 3; ++i) call.call().issue();
  setup.device->drain();
  REQUIRE(setup.written.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) CHECK(setup.written[i] == setup.written[i + 3]);
}

TEST_CASE("a result that is wrong on one copy alone is found, and the copy named", "[ops]") {
  Setup setup;
  setup.spoilCall = 2;
  Tensors tensors(*setup.device, setup.problem(64, 128));
  Rotation rotation(tensors, 3);
  PreparedCall call = rotation.prepare("direct");
  const Verification found = rotation.verify(call);
  CHECK_FALSE(found.passed);
  CHECK_THAT(found.reason, ContainsSubstring("copy 2 of 3"));
}
