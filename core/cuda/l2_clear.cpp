// SPDX-License-Identifier: Apache-2.0
#include "cuda/l2_clear.h"

#include <array>

#include "base/error.h"

namespace opscope::cuda {
namespace {

// The sum is written only if it takes one value that the data cannot give, which the compiler does not know.
constexpr const char* kReadSource = R"(
extern "C" __global__ void opscope_l2_read(const float4* data, long long count, float4* sink) {
  float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += step) {
    const float4 value = data[i];
    sum.x += value.x;
    sum.y += value.y;
    sum.z += value.z;
    sum.w += value.w;
  }
  if (sum.x + sum.y + sum.z + sum.w == 12345.678f) *sink = sum;
}
)";
constexpr const char* kReadKernel = "opscope_l2_read";
constexpr unsigned kThreads = 512;
constexpr std::size_t kUnknownL2 = 256 << 20;

}  // namespace

L2Clear::L2Clear(CudaContext& context)
    : context_(context),
      bytes_(context.properties().l2CacheSize > 0
                 ? 2 * static_cast<std::size_t>(context.properties().l2CacheSize)
                 : kUnknownL2),
      begun_(makeEvent(cudaEventDisableTiming)),
      sink_(16) {
  try {
    program_.emplace(context.compiler(), KernelSource{.source = kReadSource,
                                                      .fileName = "opscope_l2_read.cu",
                                                      .options = {},
                                                      .includeFolders = {},
                                                      .kernels = {kReadKernel},
                                                      .architecture = context.architecture()});
    kernel_ = program_->kernel(kReadKernel).handle;
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error&) {
    noKernel_ = std::current_exception();
  }
}

CudaMemory& L2Clear::ensure(std::optional<CudaMemory>& memory, int value) {
  if (!memory) {
    memory.emplace(bytes_);
    check(cudaMemsetAsync(memory->address(), value, bytes_, context_.main()), "preparing to clear L2");
    context_.drain();
  }
  return *memory;
}

// The reset takes the host 5 us, and must not come before the call that stands in the stream is done. The
// clear takes the device 29 us: the reset is made meanwhile, so that it costs no time, and enough of the
// clear comes after it to evict what it set free.
template <typename Launch>
void L2Clear::clearWithReset(Launch launch) {
  check(cudaEventRecord(begun_.get(), context_.main()), "clearing L2");
  launch();
  cudaError_t state = cudaErrorNotReady;
  while (state == cudaErrorNotReady) state = cudaEventQuery(begun_.get());
  check(state, "waiting to clear L2");
  if (!canReset_) return;
  const cudaError_t error = cudaCtxResetPersistingL2Cache();
  if (error == cudaErrorNotSupported) {
    cudaGetLastError();
    canReset_ = false;  // nothing can persist here
    return;
  }
  check(error, "resetting L2's persisting lines");
}

void L2Clear::read(const CudaMemory& memory, std::size_t bytes, unsigned blocks) {
  const void* data = memory.address();
  long long count = static_cast<long long>(bytes / 16);
  void* sink = sink_.address();
  std::array<void*, 3> arguments{static_cast<void*>(&data), &count, static_cast<void*>(&sink)};
  cudaLaunchConfig_t config{};
  config.gridDim = {blocks, 1, 1};
  config.blockDim = {kThreads, 1, 1};
  config.stream = context_.main();
  check(cudaLaunchKernelExC(&config, kernel_, arguments.data()), "clearing L2 by reading");
}

void L2Clear::clean() {
  if (noKernel_) std::rethrow_exception(noKernel_);
  // Not zeros: the lines should be what real data is, should a cache ever compress them.
  const CudaMemory& memory = ensure(readOnly_, 1);
  clearWithReset(
      [&] { read(memory, bytes_, static_cast<unsigned>(context_.properties().multiProcessorCount) * 8); });
}

void L2Clear::zero() {
  const CudaMemory& memory = ensure(written_, 0);
  clearWithReset([&] {
    check(cudaMemsetAsync(memory.address(), 0, bytes_, context_.main()), "clearing L2 by writing");
  });
}

void L2Clear::shortWork(std::size_t bytes) {
  if (noKernel_) {
    check(cudaMemsetAsync(ensure(written_, 0).address(), 0, bytes, context_.main()), "filling");
    return;
  }
  read(ensure(readOnly_, 1), bytes, 1);
}

}  // namespace opscope::cuda
