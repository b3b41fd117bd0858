// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>
#include <memory>

#include "base/error.h"
#include "device/provider.h"

using namespace opscope;

TEST_CASE("the module loads anywhere, and its exceptions are ours") {
  void* module = dlopen(OPSCOPE_CUDA_MODULE, RTLD_NOW | RTLD_LOCAL);
  INFO((module == nullptr ? dlerror() : ""));
  REQUIRE(module != nullptr);
  const auto create = reinterpret_cast<CreateDeviceProvider>(dlsym(module, "opscope_create_provider"));
  REQUIRE(create != nullptr);
  CHECK(create(kModuleVersion + 1) == nullptr);
  const std::unique_ptr<DeviceProvider> provider(create(kModuleVersion));
  REQUIRE(provider != nullptr);
  CHECK(provider->kind() == "cuda");
  // Thrown inside the module by its own copy of the type.
  CHECK_THROWS_AS(provider->open("no such device"), NoSuchDevice);
  CHECK_THROWS_AS(provider->open("no such device"), Error);
}
