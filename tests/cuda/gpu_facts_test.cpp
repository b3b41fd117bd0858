// SPDX-License-Identifier: Apache-2.0
#include "cuda/gpu_facts.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

using namespace opscope;
using namespace opscope::cuda;
using Catch::Matchers::ContainsSubstring;

namespace {

DeviceFact factOf(const std::string& name, const GpuSettings& settings, const GpuSharing& sharing = {},
                  const std::optional<DeviceUse>& use = std::nullopt) {
  const auto facts = factsOf(settings, sharing, use, "GPU-1");
  const auto at =
      std::find_if(facts.begin(), facts.end(), [&](const DeviceFact& fact) { return fact.name == name; });
  REQUIRE(at != facts.end());
  return *at;
}

}  // namespace

TEST_CASE("locked clocks are unknown unless application clocks show, and how to lock is said") {
  GpuSettings s{.applicationSmMhz = 1980, .defaultApplicationSmMhz = 1980, .maxSmMhz = 1980};
  DeviceFact fact = factOf("locked clocks", s);
  CHECK(fact.value == "unknown");
  CHECK(fact.state == Check::State::Info);
  CHECK_THAT(fact.explanation, ContainsSubstring("up to 1980 MHz"));
  CHECK_THAT(fact.remedy, ContainsSubstring("nvidia-smi -i GPU-1 --lock-gpu-clocks=tdp,tdp"));
  CHECK_THAT(fact.remedy, ContainsSubstring("--reset-gpu-clocks"));
  s.applicationSmMhz = 1500;
  fact = factOf("locked clocks", s);
  CHECK(fact.value == "application clocks");
  CHECK_THAT(fact.explanation, ContainsSubstring("SM 1500 MHz, memory unknown"));
  GpuSettings held;
  held.throttleReasons = kThrottleApplicationClocks | kThrottleIdle;
  CHECK(factOf("locked clocks", held).value == "application clocks");
  CHECK(factOf("locked clocks", {}).value == "unknown");
}

TEST_CASE("a lowered power limit is a warning with the command that restores it") {
  GpuSettings s{.powerLimitMilliwatt = 700'000, .defaultPowerLimitMilliwatt = 700'000};
  CHECK(factOf("power limit", s).state == Check::State::Ok);
  CHECK(factOf("power limit", s).value == "700 W");
  s.powerLimitMilliwatt = 500'000;
  CHECK(factOf("power limit", s).state == Check::State::Warning);
  CHECK_THAT(factOf("power limit", s).remedy, ContainsSubstring("--power-limit=700"));
  CHECK(factOf("power limit", {}).value == "unknown");
}

TEST_CASE("modes are on, off, or honestly not told") {
  GpuSettings s{.persistence = false, .mig = true, .ecc = true};
  CHECK(factOf("persistence mode", s).value == "off");
  CHECK_THAT(factOf("persistence mode", s).remedy, ContainsSubstring("--persistence-mode=1"));
  CHECK(factOf("mig", s).state == Check::State::Warning);
  CHECK(factOf("ecc", s).value == "on");
  CHECK(factOf("persistence mode", {}).value == "unknown");
  CHECK(factOf("mig", {}).value == "not supported or not told");
  s.mig = false;
  CHECK(factOf("mig", s).state == Check::State::Ok);
}

TEST_CASE("MPS is seen by its clients or by its daemon") {
  CHECK(factOf("mps", {}).value == "off");
  GpuSettings s;
  s.mpsProcesses = 2;
  CHECK(factOf("mps", s).state == Check::State::Warning);
  CHECK_THAT(factOf("mps", s).explanation, ContainsSubstring("2 MPS clients"));
  CHECK_THAT(factOf("mps", {}, {.visibleDevices = {}, .mpsPipe = "/pipe", .mpsDaemon = true}).explanation,
             ContainsSubstring("/pipe"));
}

TEST_CASE("who uses the GPU is counted without claiming more than the driver tells") {
  CHECK(factOf("gpu processes", {}).value == "unknown");
  DeviceUse use;
  CHECK(factOf("gpu processes", {}, {}, use).value == "none seen");
  use.processes = {{.pid = 5}};
  CHECK(factOf("gpu processes", {}, {}, use).state == Check::State::Info);  // may be this one
  use.ownPid = 5;
  CHECK(factOf("gpu processes", {}, {}, use).value == "1 (this one)");
  use.processes.push_back({.pid = 6});
  CHECK(factOf("gpu processes", {}, {}, use).value == "2 (this one among them)");
  CHECK(factOf("gpu processes", {}, {}, use).state == Check::State::Warning);
}

TEST_CASE("the surroundings come from the environment of the process") {
  const test::TemporaryFolder folder;
  setenv("CUDA_VISIBLE_DEVICES", "1,2", 1);
  setenv("CUDA_MPS_PIPE_DIRECTORY", folder.path().c_str(), 1);
  CHECK(gpuSharing().visibleDevices == "1,2");
  CHECK_FALSE(gpuSharing().mpsDaemon);
  std::ofstream(folder.path() / "control") << "x";
  CHECK(gpuSharing().mpsDaemon);
  CHECK(factOf("cuda visible devices", {}, gpuSharing()).value == "1,2");
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  CHECK_FALSE(gpuSharing().visibleDevices);
  CHECK(gpuSharing().mpsPipe == "/tmp/nvidia-mps");
}
