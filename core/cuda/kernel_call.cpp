// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernel_call.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <set>
#include <thread>

#include "base/error.h"

namespace opscope::cuda {
namespace {

KernelSource sourceOf(const CudaContext& context, const KernelProgram& program) {
  KernelSource source{.source = program.source,
                      .fileName = program.fileName,
                      .options = program.options,
                      .includeFolders = program.includeFolders,
                      .kernels = {},
                      .architecture = context.architecture()};
  for (const KernelStep& step : program.steps)
    if (step.kind == KernelStep::Kind::Kernel) source.kernels.push_back(step.kernel);
  return source;
}

bool hasCluster(const KernelStep& step) {
  return step.cluster.x * step.cluster.y * step.cluster.z > 1;
}

std::vector<cudaLaunchAttribute> attributesOf(const KernelStep& step) {
  std::vector<cudaLaunchAttribute> attributes;
  if (step.overlap) {
    cudaLaunchAttribute& made = attributes.emplace_back();
    made.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    made.val.programmaticStreamSerializationAllowed = 1;
  }
  if (hasCluster(step)) {
    cudaLaunchAttribute& made = attributes.emplace_back();
    made.id = cudaLaunchAttributeClusterDimension;
    made.val.clusterDim.x = step.cluster.x;
    made.val.clusterDim.y = step.cluster.y;
    made.val.clusterDim.z = step.cluster.z;
  }
  return attributes;
}

/// Sleeps for most of it, then spins: a sleep alone comes back some 50 us late.
void sleepOnHost(Ns duration) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(duration);
  constexpr Ns kSpun = 100 * kMicrosecond;
  if (duration > kSpun) std::this_thread::sleep_for(std::chrono::nanoseconds(duration - kSpun));
  while (std::chrono::steady_clock::now() < until) {
  }
}

}  // namespace

KernelCall::KernelCall(CudaContext& context, const CallSpec& spec, const KernelProgram& program)
    : context_(context) {
  if (program.steps.empty()) throw BadInput(fmt::format("{} has no steps", spec.label));
  const KernelSource source = sourceOf(context, program);
  if (!source.kernels.empty()) program_.emplace(context.compiler(), source);

  std::set<std::uint32_t> streams;
  std::uint32_t number = 0;
  for (const KernelStep& from : program.steps) {
    constexpr std::uint32_t kMostStreams = 128;
    if (from.stream >= kMostStreams)
      throw BadInput(
          fmt::format("{}: a step asks for stream {}; there are {}", spec.label, from.stream, kMostStreams));
    ++number;
    Step step = from.kind == KernelStep::Kind::Kernel ? kernelStep(spec, from, number)
                : from.kind == KernelStep::Kind::Copy ? copyStep(spec, from)
                                                      : fillStep(spec, from);
    step.kind = from.kind;
    step.stream = context.stream(from.stream);
    step.config.stream = step.stream;
    step.hostSleep = from.hostSleepNs;
    step.otherThread = from.otherThread;
    step.synchronise = from.synchronise;
    steps_.push_back(std::move(step));
    if (from.stream != 0) streams.insert(from.stream);
  }
  if (!streams.empty()) begun_ = makeEvent(cudaEventDisableTiming);
  for (const std::uint32_t stream : streams)
    beside_.push_back({context.stream(stream), makeEvent(cudaEventDisableTiming)});
}

KernelCall::Step KernelCall::kernelStep(const CallSpec& spec, const KernelStep& from, std::uint32_t number) {
  const LoadedProgram::Kernel kernel = program_->kernel(from.kernel);
  requireLaunchable(spec, from, kernel.attributes);
  if (from.overlap && number == 1)
    throw BadInput(fmt::format("{}: kernel '{}' is to overlap with the step before it and is the first",
                               spec.label, from.kernel),
                   "Leave overlap out, or give it to a later step.");
  Step step;
  step.what = fmt::format("launching kernel '{}' (step {} of {})", from.kernel, number, spec.label);
  step.kernel = kernel.handle;
  step.arguments.emplace(spec, from);
  if (const auto sizes = parameterSizesOf(kernel.handle)) step.arguments->validate(*sizes);
  step.config.gridDim = {from.grid.x, from.grid.y, from.grid.z};
  step.config.blockDim = {from.block.x, from.block.y, from.block.z};
  step.config.dynamicSmemBytes = from.sharedBytes;
  step.attributes = attributesOf(from);
  step.config.attrs = step.attributes.data();
  step.config.numAttrs = static_cast<unsigned>(step.attributes.size());
  constexpr std::size_t kWithoutAsking = 48 * 1024;
  if (from.sharedBytes + kernel.attributes.sharedSizeBytes > kWithoutAsking)
    check(cudaKernelSetAttributeForDevice(kernel.handle, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(from.sharedBytes), context_.ordinal()),
          fmt::format("asking for {} bytes of shared memory for kernel '{}'", from.sharedBytes, from.kernel));
  return step;
}

void KernelCall::requireLaunchable(const CallSpec& spec, const KernelStep& step,
                                   const cudaFuncAttributes& attributes) const {
  const cudaDeviceProp& gpu = context_.properties();
  const auto refuse = [&](const std::string& why) {
    throw BadInput(fmt::format("{}: kernel '{}' cannot be launched: {}", spec.label, step.kernel, why));
  };
  const auto requireDim = [&](const char* what, const Dim3& dim, const int* most) {
    const std::array<std::pair<std::uint32_t, char>, 3> parts{{{dim.x, 'x'}, {dim.y, 'y'}, {dim.z, 'z'}}};
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].first == 0 || parts[i].first > static_cast<std::uint32_t>(most[i]))
        refuse(
            fmt::format("{}.{} is {}, not between 1 and {}", what, parts[i].second, parts[i].first, most[i]));
  };
  requireDim("grid", step.grid, gpu.maxGridSize);
  requireDim("block", step.block, gpu.maxThreadsDim);
  constexpr int kHopper = 9;
  if ((step.overlap || hasCluster(step)) && gpu.major < kHopper)
    throw NotSupported(
        fmt::format("{}: kernel '{}' asks for {}, which GPUs have from sm_90 on; this one is sm_{}{}",
                    spec.label, step.kernel, step.overlap ? "overlap" : "a cluster", gpu.major, gpu.minor));
  if (step.grid.x % step.cluster.x != 0 || step.grid.y % step.cluster.y != 0 ||
      step.grid.z % step.cluster.z != 0)
    refuse(fmt::format("a grid of {} x {} x {} blocks is not whole clusters of {} x {} x {}", step.grid.x,
                       step.grid.y, step.grid.z, step.cluster.x, step.cluster.y, step.cluster.z));
  const std::uint64_t threads = std::uint64_t{step.block.x} * step.block.y * step.block.z;
  if (threads > static_cast<std::uint64_t>(attributes.maxThreadsPerBlock))
    refuse(fmt::format("a block of {} threads; with its {} registers the kernel can have {}", threads,
                       attributes.numRegs, attributes.maxThreadsPerBlock));
  const std::size_t shared = attributes.sharedSizeBytes + step.sharedBytes;
  if (shared > gpu.sharedMemPerBlockOptin)
    refuse(fmt::format("{} bytes of shared memory; a block can have {}", shared, gpu.sharedMemPerBlockOptin));
}

KernelCall::Step KernelCall::copyStep(const CallSpec& spec, const KernelStep& from) const {
  if (from.args.size() != 2)
    throw BadInput(fmt::format("{}: a copy takes a destination and a source, the step names {} tensors",
                               spec.label, from.args.size()));
  const DeviceMemory& to = *tensorNamed(spec, from.args[0]).memory;
  const DeviceMemory& source = *tensorNamed(spec, from.args[1]).memory;
  if (to.bytes() != source.bytes() || to.bytes() == 0)
    throw BadInput(fmt::format("{}: cannot copy '{}' of {} bytes to '{}' of {} bytes", spec.label,
                               from.args[1], source.bytes(), from.args[0], to.bytes()));
  Step step;
  step.what = fmt::format("copying '{}' to '{}' in {}", from.args[1], from.args[0], spec.label);
  step.to = to.address();
  step.from = source.address();
  step.bytes = to.bytes();
  return step;
}

KernelCall::Step KernelCall::fillStep(const CallSpec& spec, const KernelStep& from) const {
  if (from.args.size() != 1)
    throw BadInput(
        fmt::format("{}: a fill takes one tensor, the step names {}", spec.label, from.args.size()));
  const DeviceMemory& to = *tensorNamed(spec, from.args[0]).memory;
  if (to.bytes() == 0) throw BadInput(fmt::format("{}: '{}' is empty", spec.label, from.args[0]));
  Step step;
  step.what = fmt::format("filling '{}' in {}", from.args[0], spec.label);
  step.to = to.address();
  step.bytes = to.bytes();
  return step;
}

cudaError_t KernelCall::launch(Step& step) const {
  switch (step.kind) {
    case KernelStep::Kind::Kernel:
      return cudaLaunchKernelExC(&step.config, step.kernel, step.arguments->addresses());
    case KernelStep::Kind::Copy:
      return cudaMemcpyAsync(step.to, step.from, step.bytes, cudaMemcpyDeviceToDevice, step.stream);
    case KernelStep::Kind::Fill:
      return cudaMemsetAsync(step.to, 0, step.bytes, step.stream);
  }
  return cudaErrorInvalidValue;
}

void KernelCall::issueStep(Step& step) {
  if (step.hostSleep > 0) sleepOnHost(step.hostSleep);
  cudaError_t error = cudaSuccess;
  if (step.otherThread) {
    // It would become part of the graph like any other launch, and what the step is there to show be gone.
    if (context_.capturing())
      throw NotSupported("One of its steps is launched by another thread, and a graph has one launch");
    std::thread([&] {
      error = cudaSetDevice(context_.ordinal());
      if (error == cudaSuccess) error = launch(step);
    }).join();
  } else {
    error = launch(step);
  }
  check(error, step.what);
  if (step.synchronise) check(cudaStreamSynchronize(step.stream), step.what);
}

void KernelCall::issue() {
  if (begun_) {
    check(cudaEventRecord(begun_.get(), context_.main()), "starting the streams of a call");
    for (const Beside& beside : beside_)
      check(cudaStreamWaitEvent(beside.stream, begun_.get(), 0), "starting the streams of a call");
  }
  for (Step& step : steps_) issueStep(step);
  for (const Beside& beside : beside_) {
    check(cudaEventRecord(beside.done.get(), beside.stream), "joining the streams of a call");
    check(cudaStreamWaitEvent(context_.main(), beside.done.get(), 0), "joining the streams of a call");
  }
}

}  // namespace opscope::cuda
