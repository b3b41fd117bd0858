// SPDX-License-Identifier: Apache-2.0
#include "cuda/clock_ping.h"

#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <new>

#include "base/error.h"

namespace opscope::cuda {
namespace {

// It gives up by itself after 20 ms, so that a host that died or was stopped never leaves a kernel that
// spins.
constexpr const char* kPingSource = R"(
extern "C" __global__ void opscope_clock_ping(volatile unsigned* running, const volatile unsigned* release) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  *running = 1;
  __threadfence_system();
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (*release == 0 && now - start < 20000000ull);
}
)";
constexpr const char* kPingKernel = "opscope_clock_ping";
constexpr Ns kPatience = 20 * kMillisecond;

}  // namespace

// Each word on a cache line of its own: the device polls one while the host polls the other.
struct ClockPing::Mailbox {
  alignas(128) std::atomic<unsigned> running;
  alignas(128) std::atomic<unsigned> release;
};

ClockPing::ClockPing(CudaContext& context) : context_(context) {
  try {
    program_.emplace(context.compiler(), KernelSource{.source = kPingSource,
                                                      .fileName = "opscope_clock_ping.cu",
                                                      .options = {},
                                                      .includeFolders = {},
                                                      .kernels = {kPingKernel},
                                                      .architecture = context.architecture()});
    kernel_ = program_->kernel(kPingKernel).handle;
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, sizeof(Mailbox), cudaHostAllocMapped), "allocating mapped host memory");
    mailbox_ = new (memory) Mailbox;
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    spdlog::info("no pings of the GPU's clock: {}", error.what());
  }
}

ClockPing::~ClockPing() {
  if (mailbox_ != nullptr) cudaFreeHost(mailbox_);
}

PingMark ClockPing::ping(const std::function<Ns()>& now) {
  mailbox_->running.store(0);
  mailbox_->release.store(0);
  void* running = &mailbox_->running;
  void* release = &mailbox_->release;
  std::array<void*, 2> arguments{static_cast<void*>(&running), static_cast<void*>(&release)};
  cudaLaunchConfig_t config{};
  config.gridDim = {1, 1, 1};
  config.blockDim = {1, 1, 1};
  config.stream = context_.main();
  const Ns before = now();
  check(cudaLaunchKernelExC(&config, kernel_, arguments.data()), "pinging the GPU's clock");
  PingMark mark;
  bool seen = false;
  do {
    seen = mailbox_->running.load() != 0;
    mark.seenRunning = now();
  } while (!seen && mark.seenRunning - before < kPatience);
  mark.released = seen ? now() : before;
  mailbox_->release.store(1);
  context_.drain();
  if (!seen) mark.seenRunning = now();
  return mark;
}

}  // namespace opscope::cuda
