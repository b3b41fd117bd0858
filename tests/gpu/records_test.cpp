// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <catch2/catch_approx.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <span>

#include "gpu/gpu.h"
#include "trace/occupancy.h"

using namespace opscope;
using namespace opscope::test;

namespace {

constexpr std::int64_t kElements = 1 << 20;

std::vector<KernelStep> threeKernels() {
  return {scaleStep(kElements), scaleStep(kElements), scaleStep(kElements)};
}

}  // namespace

TEST_CASE("the device says what it is") {
  const auto device = gpu();
  const DeviceInfo& info = device->info();
  CHECK(info.id == "cuda:0");
  CHECK(info.kind == "cuda");
  CHECK(info.figures == FigureKind::Gpu);
  CHECK(info.method == "cupti");
  CHECK(info.architecture.starts_with("sm_"));
  CHECK(info.uuid.starts_with("GPU-"));
  CHECK(info.memoryBytes > 0);
  CHECK(info.l2Bytes > 0);
  CHECK(info.multiprocessors > 0);
  CHECK(info.threadsPerMultiprocessor > 0);
  CHECK(info.registersPerMultiprocessor > 0);
  CHECK(info.sharedBytesPerMultiprocessor > 0);
  if (const auto limits = limitsOf(info.architecture)) {
    CHECK(info.threadsPerMultiprocessor == limits->warps * 32);
    CHECK(info.registersPerMultiprocessor == limits->registers);
    CHECK(info.sharedBytesPerMultiprocessor == limits->sharedBytes);
  }
  CHECK(info.timestampTick >= 1);
  for (const char* what : {"cuda driver", "cuda runtime", "cupti", "nvrtc", "launch timestamps"})
    CHECK(info.versions.contains(what));
  std::printf("GPU: %s %s, L2 %lld bytes, tick %lld ns, %zu cores near\n", info.name.c_str(),
              info.architecture.c_str(), static_cast<long long>(info.l2Bytes),
              static_cast<long long>(info.timestampTick), info.nearbyCpus.size());
  for (const auto& [what, version] : info.versions)
    std::printf("GPU: %s %s\n", what.c_str(), version.c_str());
  CHECK(info.versions.at("launch timestamps") == "queued");
}

TEST_CASE("busy does not depend on the size of the record buffers") {
  const auto device = gpu();
  Program program(*device, kElements, threeKernels());
  std::vector<double> busy;
  for (const std::int64_t bytes : {32 << 10, 256 << 10, 1 << 20, 8 << 20, 32 << 20}) {
    const Pass pass = measure(*device, *program.call, {.bufferBytes = bytes, .iterations = 200});
    requireMeasured(pass);
    busy.push_back(medianBusy(pass));
    std::printf("GPU: three kernels, buffers of %lld KB: busy %.0f ns, wall per iteration %.1f us\n",
                static_cast<long long>(bytes >> 10), busy.back(),
                static_cast<double>(pass.loopWall) / 200 / 1e3);
  }
  // 1 %, but at least two ticks: the median is a whole number of them.
  const double margin = std::max(0.01 * busy[1], 2.0 * static_cast<double>(device->info().timestampTick));
  for (const double value : busy) CHECK(value == Catch::Approx(busy[1]).margin(margin));
}

TEST_CASE("fills and copies of nothing are no launches without records") {
  const auto device = gpu();
  Program program(*device, kElements, threeKernels());
  struct WithNothing final : Call {
    explicit WithNothing(Call& call) : inner(call) {
      REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
      REQUIRE(cudaMalloc(&memory, 4096) == cudaSuccess);
    }
    ~WithNothing() override {
      cudaFree(memory);
      cudaStreamDestroy(stream);
    }
    WithNothing(const WithNothing&) = delete;
    WithNothing& operator=(const WithNothing&) = delete;
    void issue() override {
      cudaMemsetAsync(memory, 0, 0, stream);
      inner.issue();
      cudaMemcpyAsync(memory, static_cast<char*>(memory) + 2048, 0, cudaMemcpyDeviceToDevice, stream);
    }
    Call& inner;
    cudaStream_t stream = nullptr;
    void* memory = nullptr;
  } call(*program.call);
  const Pass pass = measure(*device, call);
  requireMeasured(pass);
  for (const Sample& sample : pass.samples) CHECK(sample.kernels == 3);
  for (const LaunchRecord& launch : pass.trace.launches) CHECK(launch.kind == LaunchKind::Kernel);
}

TEST_CASE("busy does not depend on a host that sleeps inside the call") {
  const auto device = gpu();
  std::vector<KernelStep> slept{step("spin", {"ns"}), step("spin", {"ns"})};
  Program plain(*device, 4, slept, 20'000);
  slept[1].hostSleepNs = 200 * kMicrosecond;
  Program sleepy(*device, 4, slept, 20'000);
  const Pass quick = measure(*device, *plain.call);
  const Pass late = measure(*device, *sleepy.call);
  requireMeasured(quick);
  requireMeasured(late);
  std::printf("GPU: busy %.0f ns, with a host sleep of 200 us inside %.0f ns\n", medianBusy(quick),
              medianBusy(late));
  CHECK(medianBusy(late) == Catch::Approx(medianBusy(quick)).epsilon(0.01));
  for (const Sample& sample : late.samples) CHECK(sample.latency > 200 * kMicrosecond);
}

TEST_CASE("every kernel joins the launch that made it, by correlation id and in time") {
  const auto device = gpu();
  Program program(*device, kElements, threeKernels());
  const Pass pass = measure(*device, *program.call);
  requireMeasured(pass);
  std::map<std::uint32_t, int> launches;
  for (const LaunchRecord& launch : pass.trace.launches) ++launches[launch.correlationId];
  for (const KernelRecord& kernel : pass.trace.kernels) {
    CHECK(launches[kernel.correlationId] == 1);
    CHECK(kernel.queued > 0);
    CHECK(kernel.queued <= kernel.start);
  }
  std::set<std::string> apis;
  for (const LaunchRecord& launch : pass.trace.launches) apis.insert(pass.trace.names.text(launch.apiNameId));
  for (const std::string& api : apis) std::printf("GPU: launches by %s\n", api.c_str());
}

TEST_CASE("calls compute, in every form in which they are issued") {
  const auto device = gpu();
  constexpr std::int64_t kFew = 1000;
  const bool graph = GENERATE(false, true);
  Program program(*device, kFew, {scaleStep(kFew)}, 0, graph);
  std::vector<float> x(kFew), y(kFew);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  device->copyToDevice(*program.x, std::as_bytes(std::span(x)));
  program.call->issue();
  device->copyToHost(std::as_writable_bytes(std::span(y)), *program.y);
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == 2.0F * x[i] + 1.0F);
}
