// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "base/error.h"
#include "device/environment_guard.h"
#include "device/provider.h"

namespace opscope {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("the program's folder is where the test program lies") {
  CHECK(std::filesystem::exists(programFolder() / "test_device"));
}

TEST_CASE("named resources are taken, or refused by name") {
  {
    const EnvironmentGuard guard("OPSCOPE_RESOURCES", OPSCOPE_TEST_MODULES);
    CHECK(resourceFolder() == OPSCOPE_TEST_MODULES);
  }
  const EnvironmentGuard guard("OPSCOPE_RESOURCES", "/no/such/folder");
  CHECK_THROWS_MATCHES(resourceFolder(), CannotRead, MessageMatches(ContainsSubstring("/no/such/folder")));
}

TEST_CASE("resources lie beside an installed program, else in the source tree") {
  for (const char* unnamed : {static_cast<const char*>(nullptr), ""}) {
    const EnvironmentGuard guard("OPSCOPE_RESOURCES", unnamed);
    const auto beside = (programFolder() / "../share/opscope").lexically_normal();
    std::filesystem::create_directories(beside);
    CHECK(resourceFolder() == beside);
    std::filesystem::remove(beside);
    CHECK(resourceFolder() == std::filesystem::path(OPSCOPE_SOURCE_DIR) / "resources");
  }
}

}  // namespace
}  // namespace opscope
