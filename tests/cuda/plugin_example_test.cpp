// SPDX-License-Identifier: Apache-2.0
//
// The CUDA plugin of docs/examples, as nvcc makes it, on a machine without a GPU: everything up to its first
// launch.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "base/error.h"
#include "device/host/host_device.h"
#include "device/plugin.h"
#include "ops/catalogue.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
namespace fs = std::filesystem;

namespace {

fs::path folderOfExample() {
  return fs::path(OPSCOPE_BINARY_DIR) / "tests" / "plugins" / "scale_cuda";
}
fs::path cudaExample() {
  const fs::path file = folderOfExample() / "libplugin.so";
  if (!fs::exists(file))
    SKIP("There is no nvcc here that compiles with this compiler, so the example was not built");
  return file;
}

}  // namespace

TEST_CASE("the CUDA example loads without a GPU and describes an op that a catalogue takes") {
  cudaExample();
  const Catalogue catalogue = Catalogue::load({folderOfExample()});
  CHECK(catalogue.problems().empty());
  const OpSpec& op = catalogue.op("scale_cuda");
  REQUIRE(op.implementations.size() == 1);
  CHECK(op.implementations[0].bodies.contains("cuda"));
  CHECK_FALSE(op.implementations[0].bodies.contains("host"));
}

TEST_CASE("the CUDA example refuses tensors that it was not made for, in its own words") {
  const auto plugin = Plugin::load(cudaExample());
  const auto device = host::openHostDevice();
  const auto memory = device->allocate(256);
  CallSpec spec{.label = "scale_cuda/plugin",
                .tensors = {{"a", DType::Float32, {64}, memory.get()}},
                .scalars = {},
                .body = {}};
  CHECK_THROWS_MATCHES(plugin->prepare(*device, spec, "plugin"), BadInput,
                       MessageMatches(ContainsSubstring("there must be tensors x and y")));
  // Both are there, but there is nothing in them.
  spec.tensors = {{"x", DType::Float32, {0}, memory.get()}, {"y", DType::Float32, {0}, memory.get()}};
  CHECK_THROWS_MATCHES(plugin->prepare(*device, spec, "plugin"), BadInput,
                       MessageMatches(ContainsSubstring("there must be tensors x and y")));
}
