// SPDX-License-Identifier: Apache-2.0
//
// Shared libraries that are plugins, or are not.
#include "device/plugin.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "base/error.h"
#include "device/host/host_device.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

std::filesystem::path plugin(const std::string& name) {
  return std::filesystem::path(OPSCOPE_TEST_PLUGINS) / name / "libplugin.so";
}

struct Prepared {
  std::unique_ptr<Device> device = host::openHostDevice();
  std::unique_ptr<DeviceMemory> x = device->allocate(256), y = device->allocate(256);
  CallSpec spec{.label = "op/only",
                .tensors = {{"x", DType::Float32, {64}, x.get()}, {"y", DType::Float32, {64}, y.get()}},
                .scalars = {{"n", {false, 64, 0}}},
                .body = {}};
  std::unique_ptr<Call> prepare(const std::string& name, const std::string& implementation = "only") {
    return Plugin::load(plugin(name))->prepare(*device, spec, implementation);
  }
};

}  // namespace

TEST_CASE("what is no plugin of this version is refused by name") {
  CHECK_THROWS_MATCHES(Plugin::load(plugin("none")), CannotRead,
                       MessageMatches(ContainsSubstring("does not load")));
  CHECK_THROWS_MATCHES(Plugin::load(plugin("no_entry")), BadInput,
                       MessageMatches(ContainsSubstring("lacks opscope_plugin_entry")));
  CHECK_THROWS_MATCHES(Plugin::load(plugin("returns_nothing")), BadInput,
                       MessageMatches(ContainsSubstring("returned nothing")));
  CHECK_THROWS_MATCHES(Plugin::load(plugin("other_abi")), BadInput,
                       MessageMatches(ContainsSubstring("version 2") && ContainsSubstring("has 1")));
  CHECK_THROWS_MATCHES(Plugin::load(plugin("small_table")), BadInput,
                       MessageMatches(ContainsSubstring("8 bytes")));
  CHECK_THROWS_MATCHES(Plugin::load(plugin("no_prepare")), BadInput,
                       MessageMatches(ContainsSubstring("no function \"prepare\"")));
}

TEST_CASE("a plugin is loaded once, and may describe nothing") {
  CHECK(Plugin::load(plugin("scale")) == Plugin::load(plugin("scale")));
  CHECK_THAT(Plugin::load(plugin("scale"))->describe(), ContainsSubstring("halves"));
  CHECK(Plugin::load(plugin("describes_nothing"))->describe().empty());
}

TEST_CASE("a plugin that refuses is quoted") {
  Prepared bench;
  CHECK_THROWS_MATCHES(bench.prepare("refuses_to_prepare"), BadInput,
                       MessageMatches(ContainsSubstring("n must be odd")));
  CHECK_THROWS_MATCHES(bench.prepare("refuses_without_words"), BadInput,
                       MessageMatches(ContainsSubstring("does not say why")));
  CHECK_THROWS_MATCHES(bench.prepare("fills_the_buffer"), BadInput, MessageMatches(ContainsSubstring("xxx")));
  const auto call = bench.prepare("refuses_to_call");
  CHECK_THROWS_MATCHES(call->issue(), DeviceLost, MessageMatches(ContainsSubstring("out of tickets")));
}

TEST_CASE("what a plugin launches on the host device runs there, and is recorded by its name") {
  for (const auto& [implementation, kernel, kernels] :
       {std::tuple{"whole", "scale", 1}, std::tuple{"halves", "scale_half", 2}}) {
    Prepared bench;
    std::vector<float> in(64, 1.5F), out(64);
    bench.device->copyToDevice(*bench.x, std::as_bytes(std::span(in)));
    const auto call = bench.prepare("scale", implementation);
    Collector& collector = bench.device->collector();
    collector.open({});
    collector.push(0);
    call->issue();
    collector.pop();
    bench.device->drain();
    const Trace trace = collector.close();
    REQUIRE(trace.kernels.size() == static_cast<std::size_t>(kernels));
    CHECK(trace.names.text(trace.kernels[0].nameId) == kernel);
    bench.device->copyToHost(std::as_writable_bytes(std::span(out)), *bench.y);
    CHECK(out == std::vector<float>(64, 3.0F));
  }
}
