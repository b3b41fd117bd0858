// SPDX-License-Identifier: Apache-2.0
#include "engine/environment.h"

#include <catch2/catch_test_macros.hpp>

#include "device/host/host_device.h"
#include "device/scripted/scripted_device.h"

using namespace opscope;

namespace {

scripted::Script scriptWithSensors() {
  scripted::Script script;
  script.kernels = [](std::uint64_t) { return std::vector<scripted::ScriptedKernel>(1); };
  script.sensors = [](Ns) {
    return TelemetrySample{.smClockMhz = 1980, .powerMilliwatt = 92'300, .throttleReasons = 0x4};
  };
  script.facts = {{"locked clocks", "unknown", Check::State::Info, "nobody tells", "lock them"}};
  return script;
}

}  // namespace

TEST_CASE("a device without sensors says so, and why") {
  const auto host = host::openHostDevice();
  CHECK(environmentOf(*host, 3, true).at("sensors") == "no sensors: the host device has none");
  CHECK(environmentOf(*host, 3, true).at("launch core") == "3");
}

TEST_CASE("sensors and settings of a device stand in the environment") {
  const auto device = scripted::openScriptedDevice(scriptWithSensors());
  const Environment on = environmentOf(*device, -1, true);
  CHECK(on.at("sensors") == "read during passes");
  CHECK(on.at("sm clock at start") == "1980 MHz");
  CHECK(on.at("power at start") == "92.3 W");
  CHECK(on.at("clocks held down at start by") == "power limit");
  CHECK(on.at("locked clocks") == "unknown");
  CHECK_FALSE(on.contains("temperature at start"));
  CHECK(environmentOf(*device, -1, false).at("sensors") == "not read during passes: switched off");
}

TEST_CASE("a fact reads as a check that names its device") {
  const DeviceFact fact{"power limit", "500 W", Check::State::Warning, "lowered from 700 W", "raise it"};
  const Check check = checkOf(fact, "cuda:0");
  CHECK(check.subject == "cuda:0, power limit");
  CHECK(check.sentence == "500 W: lowered from 700 W");
  CHECK(check.state == Check::State::Warning);
  CHECK(check.remedy == "raise it");
  CHECK(checkOf({"ecc", "on", Check::State::Ok, "", ""}, "cuda:0").sentence == "on");
}
