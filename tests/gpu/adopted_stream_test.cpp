// SPDX-License-Identifier: Apache-2.0
//
// The streams of a program that brings its own calls, as PyTorch's are.
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "device/stream_adopter.h"
#include "gpu/gpu.h"

using namespace opscope;
using namespace opscope::test;

namespace {

struct OwnStream {
  OwnStream() { REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess); }
  ~OwnStream() { cudaStreamDestroy(stream); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  std::uintptr_t handle() const { return reinterpret_cast<std::uintptr_t>(stream); }
  cudaStream_t stream = nullptr;
};

}  // namespace

TEST_CASE("calls are measured on the stream that was adopted, and on the device's own again after it") {
  const auto device = gpu();
  constexpr std::int64_t kElements = 1 << 20;
  Program program(*device, kElements, {scaleStep(kElements)});
  auto& adopter = dynamic_cast<StreamAdopter&>(*device);
  void* const own = adopter.mainStream();
  const Pass before = measure(*device, *program.call);
  requireMeasured(before);
  {
    const OwnStream mine;
    // The default stream, where PyTorch launches unless it is told otherwise, and one of the program's.
    for (const std::uintptr_t stream : {std::uintptr_t{0}, mine.handle()}) {
      CAPTURE(stream);
      adopter.adoptStream(stream);
      CHECK(adopter.mainStream() == reinterpret_cast<void*>(stream));
      Program adopted(*device, kElements, {scaleStep(kElements)});
      const Pass pass = measure(*device, *adopted.call);
      requireMeasured(pass);
      for (const Sample& sample : pass.samples) CHECK(sample.kernels == 1);
      // The same kernel at the same clocks: a clear that ran into the call would more than double it.
      CHECK(medianBusy(pass) < 1.5 * medianBusy(before));
      adopter.adoptStream(std::nullopt);
    }
  }
  CHECK(adopter.mainStream() == own);
  requireMeasured(measure(*device, *program.call));
}

TEST_CASE("with an adopted stream a drain waits for streams that never join it") {
  const auto device = gpu();
  auto& adopter = dynamic_cast<StreamAdopter&>(*device);
  const OwnStream mine, aside;
  adopter.adoptStream(mine.handle());
  std::atomic<bool> ran = false;
  const auto slow = [](void* flag) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    static_cast<std::atomic<bool>*>(flag)->store(true);
  };
  REQUIRE(cudaLaunchHostFunc(aside.stream, slow, &ran) == cudaSuccess);
  device->drain();
  CHECK(ran);
  adopter.adoptStream(std::nullopt);
}
