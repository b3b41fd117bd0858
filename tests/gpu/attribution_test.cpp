// SPDX-License-Identifier: Apache-2.0
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdio>
#include <set>

#include "gpu/gpu.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a launch from another thread gives no number and names the kernel") {
  const auto device = gpu();
  std::vector<KernelStep> steps{scaleStep(1024)};
  steps[0].otherThread = true;
  Program program(*device, 1024, steps);
  const Pass pass = measure(*device, *program.call, {.iterations = 10});
  REQUIRE(pass.failure.has_value());
  INFO(describe(*pass.failure));
  CHECK(pass.failure->code == ErrorCode::OffThreadLaunch);
  CHECK_THAT(pass.failure->message, ContainsSubstring("scale"));
  CHECK(pass.samples.empty());
}

TEST_CASE("a call that only copies gives no number and says so") {
  const auto device = gpu();
  KernelStep copy;
  copy.kind = KernelStep::Kind::Copy;
  copy.args = {"y", "x"};
  Program program(*device, 1 << 20, {copy});
  const Pass pass = measure(*device, *program.call, {.iterations = 10});
  REQUIRE(pass.failure.has_value());
  INFO(describe(*pass.failure));
  CHECK(pass.failure->code == ErrorCode::NoKernel);
  CHECK_THAT(pass.failure->message, ContainsSubstring("cop"));
  CHECK_FALSE(pass.trace.memops.empty());
}

TEST_CASE("copies and fills beside kernels are recorded and not counted in busy") {
  const auto device = gpu();
  KernelStep copy;
  copy.kind = KernelStep::Kind::Copy;
  copy.args = {"y", "x"};
  KernelStep fill;
  fill.kind = KernelStep::Kind::Fill;
  fill.args = {"y"};
  Program program(*device, 1 << 20, {scaleStep(1 << 20), copy, fill});
  const Pass pass = measure(*device, *program.call, {.iterations = 20});
  requireMeasured(pass);
  for (const Sample& sample : pass.samples) {
    CHECK(sample.kernels == 1);
    CHECK(sample.memops == 2);
    CHECK(sample.memopTime > 0);
    CHECK(sample.latency >= sample.busy);
  }
}

TEST_CASE("a pass whose records do not fit is refused") {
  const auto device = gpu();
  Program program(*device, 1024, {scaleStep(1024)});
  const Pass pass = measure(*device, *program.call, {.bufferBytes = 8, .iterations = 10, .attempts = 1});
  REQUIRE(pass.failure.has_value());
  INFO(describe(*pass.failure));
  CHECK(pass.failure->code == ErrorCode::RecordsLost);
  CHECK(pass.trace.dropped.proven);
  CHECK(pass.trace.dropped.records > 0);
  std::printf("GPU: buffers of 8 bytes dropped %llu records in 10 iterations\n",
              static_cast<unsigned long long>(pass.trace.dropped.records));
  // And the next pass is whole again.
  const Pass after = measure(*device, *program.call, {.iterations = 10});
  requireMeasured(after);
  CHECK(after.trace.dropped.records == 0);
}

TEST_CASE("a graph of 100 kernels is attributed whole") {
  const auto device = gpu();
  constexpr std::int64_t kElements = 1 << 17;
  Program program(*device, kElements, std::vector<KernelStep>(100, scaleStep(kElements)), 0, true);
  const Pass pass = measure(*device, *program.call, {.iterations = 20});
  requireMeasured(pass);
  for (const Sample& sample : pass.samples) CHECK(sample.kernels == 100);
  CHECK(std::any_of(pass.trace.launches.begin(), pass.trace.launches.end(),
                    [](const LaunchRecord& launch) { return launch.kind == LaunchKind::Graph; }));
  std::printf("GPU: graph of 100 kernels, busy %.0f ns\n", medianBusy(pass));
}

// What is loaded where something was unloaded has its handle, and the collector of records may know that by
// its old name.
TEST_CASE("a kernel has its own name, whatever was loaded and unloaded before it") {
  const auto device = gpu();
  for (int i = 0; i < 60; ++i) {
    const std::string name = "kernel_" + std::to_string(i);
    const std::string source = "extern \"C\" __global__ void " + name +
                               "(float* x) { *x += " + std::to_string(i) + "; }\n" +
                               "extern \"C\" __global__ void other_" + name + "(float* x) { *x -= 1; }\n";
    Program program(*device, 64, {step(name, {"x"})}, 0, false, source);
    const Pass pass = measure(*device, *program.call, {.iterations = 5});
    requireMeasured(pass);
    CHECK(kernelNames(pass.trace) == std::set<std::string>{name});
  }
}

TEST_CASE("a collection that is thrown away leaves nothing behind") {
  const auto device = gpu();
  Program program(*device, 1024, {scaleStep(1024)});
  device->collector().open({});
  device->collector().push(5);
  program.call->issue();
  device->drain();
  device->collector().discard();
  CHECK_FALSE(device->collector().isOpen());
  device->collector().open({});
  const Trace trace = device->collector().close();
  CHECK(trace.kernels.empty());
  CHECK(trace.externalIds.empty());
}
