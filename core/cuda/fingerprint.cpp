// SPDX-License-Identifier: Apache-2.0
#include "cuda/fingerprint.h"

#include <spdlog/spdlog.h>

#include <array>

#include "base/error.h"

namespace opscope::cuda {
namespace {

// Words are mixed with their places (by the finaliser of SplitMix64), so that words that change places show,
// and added, so that their order does not matter. What is left after the last word is a word of its own.
constexpr const char* kFingerprintSource = R"(
typedef unsigned long long u64;
__device__ u64 mixed(u64 z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
extern "C" __global__ void opscope_fingerprint(const unsigned char* bytes, long long count, u64* sum) {
  const u64* words = (const u64*)bytes;
  const long long step = (long long)gridDim.x * blockDim.x, whole = count / 8;
  const long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  u64 mine = 0;
  for (long long i = first; i < whole; i += step) mine += mixed(mixed(words[i]) + i * 0x9e3779b97f4a7c15ull);
  if (first == 0) {
    u64 rest = count;
    for (long long i = whole * 8; i < count; ++i) rest = rest << 8 | bytes[i];
    mine += mixed(mixed(rest) + whole * 0x9e3779b97f4a7c15ull);
  }
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffffu, mine, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}
)";
constexpr const char* kFingerprintKernel = "opscope_fingerprint";
constexpr unsigned kSumThreads = 512;

}  // namespace

Fingerprint::Fingerprint(CudaContext& context) : context_(context), sum_(sizeof(std::uint64_t)) {
  try {
    program_.emplace(context.compiler(), KernelSource{.source = kFingerprintSource,
                                                      .fileName = "opscope_fingerprint.cu",
                                                      .options = {},
                                                      .includeFolders = {},
                                                      .kernels = {kFingerprintKernel},
                                                      .architecture = context.architecture()});
    kernel_ = program_->kernel(kFingerprintKernel).handle;
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    spdlog::info("no fingerprints of the GPU's memory: {}", error.what());
  }
}

std::optional<std::uint64_t> Fingerprint::of(const DeviceMemory& memory) {
  if (kernel_ == nullptr) return std::nullopt;
  const void* bytes = memory.address();
  auto count = static_cast<long long>(memory.bytes());
  void* sum = sum_.address();
  std::array<void*, 3> arguments{static_cast<void*>(&bytes), &count, static_cast<void*>(&sum)};
  cudaLaunchConfig_t config{};
  config.gridDim = {static_cast<unsigned>(context_.properties().multiProcessorCount) * 8, 1, 1};
  config.blockDim = {kSumThreads, 1, 1};
  config.stream = context_.main();
  std::uint64_t found = 0;
  check(cudaMemsetAsync(sum, 0, sizeof found, context_.main()), "taking a fingerprint");
  check(cudaLaunchKernelExC(&config, kernel_, arguments.data()), "taking a fingerprint");
  check(cudaMemcpyAsync(&found, sum, sizeof found, cudaMemcpyDeviceToHost, context_.main()),
        "taking a fingerprint");
  context_.drain();
  return found;
}

}  // namespace opscope::cuda
