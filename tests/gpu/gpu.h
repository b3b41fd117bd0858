// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cuda/cuda_provider.h"
#include "timing/pass.h"

namespace opscope::test {

/// The first GPU, opened for the test that calls this; skips the test, with the reason, where there is none.
inline std::unique_ptr<Device> gpu() {
  cuda::CudaProvider provider;
  try {
    auto device = provider.open("cuda:0");
    REQUIRE(device->proveDropCounter());
    return device;
  } catch (const DeviceUnavailable& error) {
    SKIP(error.what());
  }
  return nullptr;  // not reached: SKIP ends the test
}

struct Silent final : PassObserver {
  void onProgress(const Progress&) override {}
};

struct Settings {
  L2Mode l2 = L2Mode::Clean;
  std::int64_t bufferBytes = 256 * 1024;
  std::uint32_t iterations = 60;
  std::uint32_t attempts = 3;
};

/// One pass of a call.
inline Pass measure(Device& device, Call& call, const Settings& settings = {}) {
  Protocol protocol;
  protocol.l2 = settings.l2;
  protocol.bufferBytes = settings.bufferBytes;
  protocol.attempts = settings.attempts;
  Silent silent;
  calibrate(device, call, settings.l2);
  return runPass(device, call, protocol, {.warmups = 20, .iterations = settings.iterations}, silent, {}, {});
}

/// The pass must have a number; says why when it has not.
inline void requireMeasured(const Pass& pass) {
  INFO((pass.failure ? describe(*pass.failure) : std::string("measured")));
  REQUIRE_FALSE(pass.failure.has_value());
  REQUIRE(pass.samples.size() == pass.trace.iterations.size());
}

inline double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}
inline double medianBusy(const Pass& pass) {
  std::vector<double> values;
  for (const Sample& sample : pass.samples) values.push_back(static_cast<double>(sample.busy));
  return medianOf(std::move(values));
}

inline double medianLatency(const Pass& pass) {
  std::vector<double> values;
  for (const Sample& sample : pass.samples) values.push_back(static_cast<double>(sample.latency));
  return medianOf(std::move(values));
}

inline const char* const kKernels = R"(
extern "C" __global__ void spin(long long ns) {
  unsigned long long from, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(from));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - from < (unsigned long long)ns);
}
extern "C" __global__ void scale(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" __global__ void copy16(const float4* x, float4* y, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
extern "C" __global__ void read16(const float4* x, float4* y, long long n) {
  float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
    const float4 value = x[i];
    sum.x += value.x;
    sum.y += value.y;
    sum.z += value.z;
    sum.w += value.w;
  }
  if (sum.x + sum.y + sum.z + sum.w == 12345.678f) *y = sum;
}
extern "C" __global__ void stray(float* x, long long n) { x[n + (1ll << 40)] = 1.0f; }
extern "C" __global__ void narrow(int n, float* x) { *x = n; }
extern "C" __global__ void overlapping(long long ns) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
  unsigned long long from, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(from));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - from < (unsigned long long)ns);
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
extern "C" __global__ void rank_in_cluster(float* y) {
#if __CUDA_ARCH__ >= 900
  unsigned rank, size;
  asm("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0) y[blockIdx.x] = rank + 100.0f * size;
#endif
}
template <typename T> __global__ void twice(T* x) { *x *= T(2); }
)";

inline KernelStep step(const std::string& kernel, std::vector<std::string> args, Dim3 grid = {},
                       Dim3 block = {}) {
  KernelStep made;
  made.kernel = kernel;
  made.args = std::move(args);
  made.grid = grid;
  made.block = block;
  return made;
}

/// A call of steps over two float tensors x and y of `elements` and scalars n = elements, ns.
struct Program {
  Program(Device& device, std::int64_t elements, std::vector<KernelStep> steps, std::int64_t ns = 2000,
          bool graph = false, const std::string& source = kKernels)
      : x(device.allocate(static_cast<std::size_t>(elements) * 4)),
        y(device.allocate(static_cast<std::size_t>(elements) * 4)) {
    device.fill(*x, std::byte{1});
    device.fill(*y, std::byte{2});
    spec.label = "test";
    spec.tensors = {{"x", DType::Float32, {elements}, x.get()}, {"y", DType::Float32, {elements}, y.get()}};
    spec.scalars["n"] = {.floating = false, .integer = elements, .real = 0};
    spec.scalars["quads"] = {.floating = false, .integer = elements / 4, .real = 0};
    spec.scalars["ns"] = {.floating = false, .integer = ns, .real = 0};
    spec.body = KernelProgram{.source = source,
                              .fileName = "known_answers.cu",
                              .options = {},
                              .includeFolders = {},
                              .steps = std::move(steps),
                              .graph = graph};
    call = device.prepare(spec);
  }
  std::unique_ptr<DeviceMemory> x;
  std::unique_ptr<DeviceMemory> y;
  CallSpec spec;
  std::unique_ptr<Call> call;
};

/// `scale` over all of x.
inline KernelStep scaleStep(std::int64_t elements) {
  return step("scale", {"x", "y", "n"}, {static_cast<std::uint32_t>((elements + 255) / 256), 1, 1},
              {256, 1, 1});
}

}  // namespace opscope::test
