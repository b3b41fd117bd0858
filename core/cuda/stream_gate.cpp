// SPDX-License-Identifier: Apache-2.0
#include "cuda/stream_gate.h"

#include <cuda.h>
#include <fmt/format.h>

#include <new>

#include "base/error.h"

namespace opscope::cuda {
namespace {

// The first driver interface whose wait needs no switch in the driver's configuration.
constexpr unsigned kDriverInterface = 12000;

}  // namespace

struct StreamGate::Driver {
  CUresult (*waitValue)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
  CUdeviceptr address = 0;
};

class StreamGate::Hold final : public StreamHold {
 public:
  Hold(StreamGate& gate, unsigned number) : gate_(gate), number_(number) {}
  ~Hold() override { release(); }
  bool release() override {
    if (released_) return heldUntilReleased_;
    released_ = true;
    heldUntilReleased_ = gate_.watchdog_.disarm();
    gate_.passed_->store(number_);
    return heldUntilReleased_;
  }

 private:
  StreamGate& gate_;
  unsigned number_;
  bool released_ = false;
  bool heldUntilReleased_ = false;
};

StreamGate::StreamGate(CudaContext& context) : context_(context) {}

StreamGate::~StreamGate() {
  if (passed_ != nullptr) cudaFreeHost(passed_);
}

void StreamGate::prepare() {
  auto driver = std::make_unique<Driver>();
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &function,
                                                             kDriverInterface, cudaEnableDefault, &found);
  if (error != cudaSuccess || found != cudaDriverEntryPointSuccess || function == nullptr) {
    cudaGetLastError();
    throw NotSupported("This driver has no stream memory operations, so no stream can be held",
                       "Update the NVIDIA driver.");
  }
  driver->waitValue = reinterpret_cast<decltype(driver->waitValue)>(function);
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(std::atomic<unsigned>), cudaHostAllocMapped),
        "allocating mapped host memory");
  passed_ = new (memory) std::atomic<unsigned>(0);
  void* onDevice = nullptr;
  check(cudaHostGetDevicePointer(&onDevice, memory, 0), "mapping host memory");
  driver->address = reinterpret_cast<CUdeviceptr>(onDevice);
  driver_ = std::move(driver);
}

std::unique_ptr<StreamHold> StreamGate::hold(Ns patience) {
  if (!driver_) prepare();
  const unsigned number = last_ + 1;
  const CUresult result =
      driver_->waitValue(context_.main(), driver_->address, number, CU_STREAM_WAIT_VALUE_GEQ);
  if (result == CUDA_ERROR_NOT_SUPPORTED)
    throw NotSupported("This GPU has no stream memory operations, so its streams cannot be held");
  if (result != CUDA_SUCCESS)
    throw InternalError(
        fmt::format("CUDA failed while holding a stream: driver error {}", static_cast<int>(result)));
  last_ = number;
  watchdog_.arm(patience, [passed = passed_, number] { passed->store(number); });
  return std::make_unique<Hold>(*this, number);
}

}  // namespace opscope::cuda
