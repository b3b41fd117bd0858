// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_device.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "cuda/counter_pass.h"
#include "cuda/cub_call.h"
#include "cuda/cublas_grouped_call.h"
#include "cuda/cublaslt_call.h"
#include "cuda/cuda_timer.h"
#include "cuda/cudnn_call.h"
#include "cuda/cufft_call.h"
#include "cuda/gpu_facts.h"
#include "cuda/graph_capture.h"
#include "cuda/kernel_call.h"
#include "cuda/pci.h"
#include "cuda/timestamp_tick.h"

namespace opscope::cuda {
namespace {

std::string uuidText(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::string versionText(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// What the datasheet's bandwidth is made of: both edges of the memory's clock over the width of its bus.
double memoryBytesPerSecond(int ordinal) {
  int kilohertz = 0, bits = 0;
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, ordinal) == cudaSuccess &&
      cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, ordinal) == cudaSuccess)
    return 2.0 * kilohertz * 1e3 * bits / 8;
  cudaGetLastError();
  return 0;
}

std::string pciBusIdOf(int ordinal) {
  std::array<char, 32> text{};
  if (cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), ordinal) == cudaSuccess)
    return text.data();
  cudaGetLastError();
  return {};
}

}  // namespace

DeviceInfo describeGpu(int ordinal, const std::string& driverVersion) {
  cudaDeviceProp gpu{};
  if (const cudaError_t error = cudaGetDeviceProperties(&gpu, ordinal); error != cudaSuccess) {
    cudaGetLastError();
    throw DeviceUnavailable(fmt::format("GPU {} does not say what it is: {}", ordinal, textOf(error)));
  }
  DeviceInfo info;
  info.id = fmt::format("cuda:{}", ordinal);
  info.kind = "cuda";
  info.name = gpu.name;
  info.uuid = uuidText(gpu.uuid);
  info.figures = FigureKind::Gpu;
  info.method = "cupti";
  info.architecture = fmt::format("sm_{}{}", gpu.major, gpu.minor);
  info.memoryBytes = static_cast<std::int64_t>(gpu.totalGlobalMem);
  info.l2Bytes = gpu.l2CacheSize;
  info.multiprocessors = gpu.multiProcessorCount;
  info.threadsPerMultiprocessor = gpu.maxThreadsPerMultiProcessor;
  info.registersPerMultiprocessor = gpu.regsPerMultiprocessor;
  info.sharedBytesPerMultiprocessor = static_cast<std::int64_t>(gpu.sharedMemPerMultiprocessor);
  info.memoryBytesPerSecond = memoryBytesPerSecond(ordinal);
  info.nearbyCpus = nearbyCpusOf(pciBusIdOf(ordinal));
  if (!driverVersion.empty()) info.versions["driver"] = driverVersion;
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess) info.versions["cuda driver"] = versionText(version);
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) info.versions["cuda runtime"] = versionText(version);
  if (const CuptiApi* cupti = CuptiProcess::instance().api())
    info.versions["cupti"] = std::to_string(cupti->version);
  return info;
}

CudaDevice::CudaDevice(int ordinal)
    : Device(DeviceInfo{}),
      cupti_(CuptiProcess::instance()),
      telemetry_(nvml_, cupti_),
      context_(ordinal),
      l2_(context_),
      fingerprint_(context_),
      ping_(context_),
      gate_(context_),
      collector_(cupti_),
      profiler_(cupti_, ordinal) {
  info_ = describeGpu(ordinal, nvml_.driverVersion());
  if (context_.compiler().available()) info_.versions["nvrtc"] = context_.compiler().version();
  nvml_.choose(info_.uuid, pciBusIdOf(ordinal));
  learnTimestamps();
}

CudaDevice::~CudaDevice() {
  collector_.discard();
}

void CudaDevice::learnTimestamps() {
  if (cupti_.api() == nullptr) return;  // who asks for records gets the reason from open()
  try {
    doProveDropCounter();  // first, as long as CUPTI holds no buffer that records would fit into
    collector_.open({});
    constexpr std::size_t kKernels = 32;
    for (std::size_t i = 0; i < kKernels; ++i)
      l2_.shortWork(std::min(l2_.bytes(), std::size_t{16384} * (1 + i % 8)));  // of different lengths
    doDrain();
    const Trace trace = collector_.close();
    info_.timestampTick = timestampTickOf(trace);
    const bool queued = std::any_of(trace.kernels.begin(), trace.kernels.end(),
                                    [](const KernelRecord& kernel) { return kernel.queued != 0; });
    info_.versions["launch timestamps"] = queued ? "queued" : "launch call only";
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    // The device is still good for what needs no records; who asks for them gets the reason from open().
    collector_.discard();
    spdlog::warn("{}: {}", info_.id, error.what());
  }
}

std::unique_ptr<DeviceMemory> CudaDevice::doAllocate(std::size_t bytes) {
  return std::make_unique<CudaMemory>(bytes);
}

void CudaDevice::doCopyToDevice(DeviceMemory& to, std::span<const std::byte> from) {
  if (from.empty()) return;
  check(cudaMemcpyAsync(to.address(), from.data(), from.size(), cudaMemcpyHostToDevice, context_.main()),
        "copying to the GPU");
  doDrain();
}

void CudaDevice::doCopyToHost(std::span<std::byte> to, const DeviceMemory& from) {
  if (to.empty()) return;
  check(cudaMemcpyAsync(to.data(), from.address(), to.size(), cudaMemcpyDeviceToHost, context_.main()),
        "copying from the GPU");
  doDrain();
}

void CudaDevice::doFill(DeviceMemory& memory, std::byte value) {
  if (memory.bytes() == 0) return;
  check(cudaMemsetAsync(memory.address(), std::to_integer<int>(value), memory.bytes(), context_.main()),
        "filling memory");
  doDrain();
}

std::unique_ptr<Call> CudaDevice::doPrepare(const CallSpec& spec) {
  if (const auto* program = std::get_if<KernelProgram>(&spec.body))
    return prepareKernels(context_, spec, *program);
  if (const auto* library = std::get_if<LibraryCall>(&spec.body)) {
    const std::string& name = library->function;
    if (name == "cublaslt.gemm") return prepareCublasLt(context_, spec, CublasLtProduct::Single);
    if (name == "cublaslt.bmm") return prepareCublasLt(context_, spec, CublasLtProduct::Batched);
    if (name == "cublaslt.gemm_fp8") return prepareCublasLt(context_, spec, CublasLtProduct::Fp8);
    if (name == "cublaslt.grouped") return prepareGroupedCublasLt(context_, spec);
    if (name == "cublas.grouped") return prepareCublasGrouped(context_, spec);
    if (name == "cufft.c2c") return prepareCufft(context_, spec);
    if (isCubCall(name)) return prepareCub(context_, spec, name);
    if (isCudnnCall(name)) return prepareCudnn(context_, spec, name);
    throw NotSupported(fmt::format("{}: there is no library call '{}' here", spec.label, library->function),
                       "There are: cublaslt.gemm, cublaslt.bmm, cublaslt.gemm_fp8, cublaslt.grouped, "
                       "cublas.grouped, cufft.c2c and those of cub and cudnn (docs/ops.md).");
  }
  throw NotSupported(fmt::format("{} is a function of the host, which a GPU cannot run", spec.label),
                     "Choose the host device, or an implementation for cuda.");
}

void CudaDevice::doClearCaches(L2Mode mode) {
  // The stream's order keeps a clear out of a call only where the call stays on that stream.
  if (context_.hasAdopted()) doDrain();
  if (mode == L2Mode::Clean) l2_.clean();
  if (mode == L2Mode::Zero) l2_.zero();
}

void CudaDevice::doDrain() {
  context_.drain();
}

void CudaDevice::adoptStream(std::optional<std::uintptr_t> stream) {
  checkThread();
  std::optional<cudaStream_t> handle;
  // Python's libraries tell a stream's handle as a number.
  if (stream) handle = reinterpret_cast<cudaStream_t>(*stream);  // NOLINT(performance-no-int-to-ptr)
  context_.adopt(handle);
}

bool CudaDevice::doProveDropCounter() {
  if (cupti_.dropCounterProven()) return true;
  // No record fits into 8 bytes, so all of them must be counted as dropped.
  constexpr std::int64_t kTooSmall = 8;
  constexpr int kKernels = 4;
  l2_.shortWork(4096);
  doDrain();
  collector_.open({.bufferBytes = kTooSmall});
  try {
    for (int i = 0; i < kKernels; ++i) l2_.shortWork(4096);
    doDrain();
  } catch (...) {
    collector_.discard();
    throw;
  }
  if (collector_.close().dropped.records == 0) return false;
  cupti_.setDropCounterProven();
  return true;
}

std::unique_ptr<DeviceTimer> CudaDevice::doMakeTimer() {
  return std::make_unique<CudaTimer>(context_.main());
}

Ns CudaDevice::doNow() {
  return cupti_.now();
}

std::vector<PingMark> CudaDevice::doPingClock(std::uint32_t times) {
  std::vector<PingMark> marks;
  if (!ping_.available() || !collector_.isOpen()) return marks;
  for (std::uint32_t i = 0; i < times; ++i) {
    collector_.push(kPingId + i);
    marks.push_back(ping_.ping([this] { return doNow(); }));
    collector_.pop();
  }
  return marks;
}

std::string CudaDevice::whyNoTelemetry() const {
  if (nvml_.chosen()) return {};
  return nvml_.available() ? "NVML does not know this GPU" : nvml_.missing();
}

std::vector<DeviceFact> CudaDevice::doFacts() {
  return factsOf(nvml_.settings(), gpuSharing(), nvml_.use(), info_.uuid);
}

CounterReading CudaDevice::doReadCounters(Call& call, L2Mode mode, std::uint32_t calls) {
  CounterReading reading =
      countCalls(context_, collector_, profiler_, call, [&] { clearCaches(mode); }, calls);
  reading.l2 = l2Label(mode);
  reading.l2Bytes = info_.l2Bytes;
  return reading;
}

std::unique_ptr<StreamHold> CudaDevice::doHold(Ns patience) {
  return gate_.hold(patience);
}

std::unique_ptr<Call> CudaDevice::doCaptureGraph(Call& call, std::uint32_t times) {
  return captureCalls(context_, call, times);
}

}  // namespace opscope::cuda
