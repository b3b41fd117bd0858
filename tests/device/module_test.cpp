// SPDX-License-Identifier: Apache-2.0
#include "device/module.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "base/error.h"
#include "device/environment_guard.h"

namespace opscope {
namespace {

using Catch::Matchers::ContainsSubstring;
const std::filesystem::path kModules = OPSCOPE_TEST_MODULES;

// The one sentence with which an absent module's provider explains itself.
std::string sentenceOf(DeviceProvider& provider) {
  CHECK(provider.devices().empty());
  CHECK_THROWS_AS(provider.open("fake:0"), NoSuchDevice);
  const std::vector<Check> checks = provider.diagnose();
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].state == Check::State::Missing);
  CHECK(checks[0].subject == "FAKE module");
  return checks[0].sentence;
}

TEST_CASE("a module's provider is used as it is") {
  const auto provider = loadModule("fake", {kModules / "no such folder", kModules / "good"});
  CHECK(provider->kind() == "fake");
  REQUIRE(provider->devices().size() == 1);
  CHECK(provider->devices()[0].id == "fake:0");
  CHECK(provider->diagnose().empty());
}

TEST_CASE("a missing module is said, with the folders that were looked at") {
  const auto provider = loadModule("fake", {"/nowhere", "/nowhere/else"});
  CHECK(provider->kind() == "fake");
  const std::string sentence = sentenceOf(*provider);
  CHECK_THAT(sentence, ContainsSubstring("libopscope_fake.so is not in /nowhere, /nowhere/else"));
  CHECK_THAT(provider->diagnose()[0].remedy, ContainsSubstring("OPSCOPE_MODULE_PATH"));
  CHECK_THAT(sentenceOf(*loadModule("fake", {})), ContainsSubstring("any folder"));
}

TEST_CASE("a module of another build is refused") {
  CHECK_THAT(sentenceOf(*loadModule("fake", {kModules / "other_build"})), ContainsSubstring("another build"));
}

TEST_CASE("a library that is no module is refused") {
  CHECK_THAT(sentenceOf(*loadModule("fake", {kModules / "no_entry"})),
             ContainsSubstring("opscope_create_provider"));
}

TEST_CASE("a module that throws while starting is refused with its words") {
  CHECK_THAT(sentenceOf(*loadModule("fake", {kModules / "throwing"})), ContainsSubstring("the moon is full"));
}

TEST_CASE("a file that is no library is refused with the loader's words") {
  const auto folder = kModules / "garbage";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "libopscope_fake.so") << "not a library";
  CHECK_THAT(sentenceOf(*loadModule("fake", {folder})), ContainsSubstring("does not load"));
}

TEST_CASE("named module folders come first, then those beside the program") {
  const EnvironmentGuard guard("OPSCOPE_MODULE_PATH", "/a::/b:");
  const auto folders = moduleFolders();
  REQUIRE(folders.size() == 4);
  CHECK(folders[0] == "/a");
  CHECK(folders[1] == "/b");
  CHECK(folders[2] == (programFolder() / "../lib/opscope").lexically_normal());
  CHECK(folders[3] == (programFolder() / "../lib").lexically_normal());
}

}  // namespace
}  // namespace opscope
