// SPDX-License-Identifier: Apache-2.0
#include "device/provider.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "device/host/host_device.h"
#include "device/scripted/scripted_device.h"

namespace opscope {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

// GPUs that open as scripted devices, or not at all.
class FakeGpus : public DeviceProvider {
 public:
  struct Gpu {
    std::string id;
    bool usable = true;
  };
  FakeGpus(std::vector<Gpu> gpus, std::string* opened, int* asked = nullptr)
      : gpus_(std::move(gpus)), opened_(opened), asked_(asked) {}
  std::string kind() const override { return "cuda"; }
  std::vector<DeviceInfo> devices() override {
    if (asked_ != nullptr) ++*asked_;
    std::vector<DeviceInfo> infos;
    for (const Gpu& gpu : gpus_) {
      DeviceInfo info;
      info.id = gpu.id;
      info.kind = "cuda";
      info.name = "GPU " + gpu.id;
      info.figures = FigureKind::Gpu;
      infos.push_back(info);
    }
    return infos;
  }
  std::unique_ptr<Device> open(const std::string& id) override {
    const auto gpu = std::find_if(gpus_.begin(), gpus_.end(), [&](const Gpu& g) { return g.id == id; });
    if (gpu == gpus_.end()) throw NoSuchDevice("no " + id);
    if (!gpu->usable) throw DeviceUnavailable(id + " is busy");
    *opened_ = id;
    return scripted::openScriptedDevice(
        {.kernels = [](std::uint64_t) { return std::vector<scripted::ScriptedKernel>{}; }});
  }
  std::vector<Check> diagnose() override {
    return {{Check::State::Ok, "a", "All is well.", ""},
            {Check::State::Missing, "NVIDIA driver", "No NVIDIA driver is loaded.", "Install it."}};
  }

 private:
  std::vector<Gpu> gpus_;
  std::string* opened_;
  int* asked_;
};

using Providers = std::vector<std::unique_ptr<DeviceProvider>>;

Providers hostAnd(std::unique_ptr<DeviceProvider> other) {
  Providers providers;
  providers.push_back(host::makeHostProvider());
  providers.push_back(std::move(other));
  return providers;
}

TEST_CASE("auto takes the first GPU that can be used, else the host") {
  std::string opened;
  auto providers = hostAnd(std::make_unique<FakeGpus>(
      std::vector<FakeGpus::Gpu>{{"cuda:0", false}, {"cuda:1", true}, {"cuda:2", true}}, &opened));
  openDevice(providers, "auto");
  CHECK(opened == "cuda:1");

  auto unusable = hostAnd(std::make_unique<FakeGpus>(std::vector<FakeGpus::Gpu>{{"cuda:0", false}}, &opened));
  CHECK(openDevice(unusable, "auto")->info().id == "host");
}

TEST_CASE("a device is opened by its id, or the first of a kind by the kind") {
  std::string opened;
  auto providers =
      hostAnd(std::make_unique<FakeGpus>(std::vector<FakeGpus::Gpu>{{"cuda:0"}, {"cuda:1"}}, &opened));
  openDevice(providers, "cuda:1");
  CHECK(opened == "cuda:1");
  openDevice(providers, "cuda");
  CHECK(opened == "cuda:0");
}

TEST_CASE("a device that is asked for by name and unusable is not replaced by another") {
  std::string opened;
  auto providers =
      hostAnd(std::make_unique<FakeGpus>(std::vector<FakeGpus::Gpu>{{"cuda:0", false}, {"cuda:1"}}, &opened));
  CHECK_THROWS_AS(openDevice(providers, "cuda:0"), DeviceUnavailable);
  CHECK(opened.empty());
}

TEST_CASE("opening the host asks no GPU driver") {
  std::string opened;
  int asked = 0;
  auto providers =
      hostAnd(std::make_unique<FakeGpus>(std::vector<FakeGpus::Gpu>{{"cuda:0"}}, &opened, &asked));
  CHECK(openDevice(providers, "host")->info().kind == "host");
  CHECK(asked == 0);
}

TEST_CASE("an unknown device is refused with what there is") {
  std::string opened;
  auto providers = hostAnd(std::make_unique<FakeGpus>(std::vector<FakeGpus::Gpu>{{"cuda:0"}}, &opened));
  for (const char* id : {"cuda:7", "tpu", "", "host:1", "cuda:"})
    CHECK_THROWS_MATCHES(
        openDevice(providers, id), NoSuchDevice,
        MessageMatches(ContainsSubstring(std::string("\"") + id + "\"") && ContainsSubstring("host (") &&
                       ContainsSubstring("cuda:0 (GPU cuda:0)")));
}

TEST_CASE("without a GPU the refusal says why there is none") {
  std::string opened;
  auto providers = hostAnd(std::make_unique<FakeGpus>(std::vector<FakeGpus::Gpu>{}, &opened));
  try {
    openDevice(providers, "cuda:0");
    FAIL("opened a GPU that does not exist");
  } catch (const NoSuchDevice& error) {
    CHECK(error.info().remedy == "No NVIDIA driver is loaded. Install it.");
  }
  Providers none;
  CHECK_THROWS_MATCHES(openDevice(none, "auto"), NoSuchDevice,
                       MessageMatches(ContainsSubstring("There is: none")));
}

TEST_CASE("this machine has a host device, whatever else it lacks") {
  const auto providers = deviceProviders();
  REQUIRE(providers.size() == 2);
  CHECK(providers[0]->kind() == "host");
  CHECK(providers[1]->kind() == "cuda");
  const std::vector<DeviceInfo> devices = providers[0]->devices();
  REQUIRE(devices.size() == 1);
  const DeviceInfo& info = devices[0];
  CHECK(info.id == "host");
  CHECK(info.figures == FigureKind::HostCpu);
  CHECK(info.method == "host-records");
  CHECK_FALSE(info.name.empty());
  CHECK(info.memoryBytes > 0);
  CHECK(info.multiprocessors >= 1);
  CHECK(info.timestampTick >= 1);
  CHECK_FALSE(info.versions.at("kernel").empty());
  CHECK_FALSE(info.versions.at("compiler").empty());
  const std::vector<Check> checks = providers[0]->diagnose();
  REQUIRE_FALSE(checks.empty());
  CHECK(checks[0].state == Check::State::Ok);
  CHECK_THROWS_AS(providers[0]->open("host:1"), NoSuchDevice);
}

}  // namespace
}  // namespace opscope
