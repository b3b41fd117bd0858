// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/synthetic_run.h"

#include "engine/engine.h"
#include "findings/findings.h"
#include "timing/pass.h"

namespace opscope::uitest {
namespace {

constexpr std::uint32_t kIterations = 20;
constexpr Ns kDrained = 20'000;

std::shared_ptr<Pass> passOf(Trace trace, std::uint32_t number, std::uint32_t implementation) {
  auto pass = std::make_shared<Pass>();
  pass->pass = number;
  pass->position = number;
  pass->implementation = implementation;
  pass->method = "cupti";
  pass->l2 = "clean";
  pass->warmups = 5;
  pass->startedUnixNs = 1'767'225'600'000'000'000 + number * kSecond;
  pass->finishedUnixNs = pass->startedUnixNs + kSecond / 2;
  pass->trace = std::move(trace);
  judge(*pass);
  return pass;
}

Trace onePass() {
  TraceBuilder builder;
  for (std::uint32_t i = 0; i < kIterations; ++i) {
    builder.begin();
    builder.kernel("void rms_norm_one_pass<__nv_bfloat16, 8>(float const*, float*)", 0, 12'500 + 10 * i, 7,
                   -5'000);
    builder.end(kDrained);
  }
  return std::move(builder.trace);
}

void eagerIteration(TraceBuilder& builder) {
  builder.begin();
  builder.kernel("void square<float>(float*)", 0, 3'000, 7, -5'000);
  builder.kernel("void reduce_mean<float>(float*)", 10'400, 2'600, 7, 5'600);
  builder.kernel("rsqrt_kernel", 11'000, 4'000, 9, 6'600);
  builder.copy(3'200, 400, 4'096, -1'500);
  builder.kernel("void scale<float>(float*)", 15'700, 2'300, 7, 7'600);
  builder.end(kDrained);
}

Trace eager() {
  TraceBuilder builder;
  for (std::uint32_t i = 0; i < kIterations; ++i) eagerIteration(builder);
  return std::move(builder.trace);
}

Trace broken(ErrorCode code) {
  TraceBuilder builder;
  for (std::uint32_t i = 0; i < kIterations; ++i) {
    if (code == ErrorCode::NoKernel && i == 3) {
      builder.begin();
      builder.copy(0, 5'000, 1 << 20, -4'000);
      builder.end(kDrained);
      continue;
    }
    eagerIteration(builder);
  }
  Trace& trace = builder.trace;
  if (code == ErrorCode::RecordsLost) trace.dropped.records = 12;
  if (code == ErrorCode::OffThreadLaunch) builder.strayKernel("helper_thread_kernel", 16'000, 1'000);
  if (code == ErrorCode::DropCounterUnproven) {
    trace.dropped.proven = false;
    trace.kernels.pop_back();
  }
  if (code == ErrorCode::TimestampsMissing) trace.kernels[5].start = trace.kernels[5].end = 0;
  return std::move(trace);
}

std::shared_ptr<Run> emptyRun() {
  auto run = std::make_shared<Run>();
  run->op = "rms_norm";
  run->family = "normalisation";
  run->workload = "llama-8b-prefill";
  run->dtype = "bf16";
  run->dims = {{"rows", 2048}, {"cols", 4096}};
  run->flops = 33.6e6;
  run->bytes = 33.6e6;
  run->deviceId = "cuda:0";
  run->deviceName = "Simulated H200";
  run->figures = "simulated";
  run->method = "cupti";
  run->l2 = "clean";
  run->timestampTick = 32;
  run->seed = 4'711;
  run->startedUnixNs = 1'767'225'600'000'000'000;
  run->finishedUnixNs = run->startedUnixNs + 4 * kSecond;
  run->environment = {{"driver", "580.65"}, {"opscope", "0.1.0"}};
  ImplementationResult first;
  first.name = "one-pass";
  first.doc = "one fused kernel";
  first.verification = {VerificationRecord::State::Passed, 4'096, 8'388'608, 1.6e-2, 3e-3, "y[17, 204]"};
  ImplementationResult second = first;
  second.name = "eager";
  second.doc = "a chain of kernels";
  run->implementations = {first, second};
  return run;
}

void finish(Run& run) {
  summariseRun(run);
  run.findings = findIn(run);
}

}  // namespace

TraceBuilder::TraceBuilder(Ns epoch) : at_(epoch) {
  trace.dropped.proven = true;
  trace.internShape({2'048, 1, 1, 256, 1, 1, 32, 0, 1'024});
}

void TraceBuilder::begin() {
  trace.iterations.push_back({at_ - 6'000, 0, 0});
  open_ = true;
}

std::uint32_t TraceBuilder::launch(const char* api, LaunchKind kind, Ns start) {
  const std::uint32_t id = ++correlation_;
  trace.launches.push_back({at_ + start, at_ + start + 800, id, 4'242, trace.names.intern(api), kind});
  trace.externalIds.push_back({trace.iterations.size() - 1, id});
  return id;
}

std::uint32_t TraceBuilder::kernel(const char* name, Ns start, Ns length, std::uint32_t stream,
                                   Ns launchStart) {
  KernelRecord record;
  record.correlationId = launch("cudaLaunchKernelExC", LaunchKind::Kernel, launchStart);
  record.start = at_ + start;
  record.end = at_ + start + length;
  record.queued = at_ + launchStart + 700;
  record.nameId = trace.names.intern(name);
  record.streamId = stream;
  trace.kernels.push_back(record);
  return static_cast<std::uint32_t>(trace.kernels.size() - 1);
}

std::uint32_t TraceBuilder::strayKernel(const char* name, Ns start, Ns length) {
  KernelRecord record;
  record.correlationId = ++correlation_;
  // end() has moved on: it belongs in the time of the last iteration.
  const Ns origin = open_ ? at_ : at_ - 2 * kDrained;
  record.start = origin + start;
  record.end = origin + start + length;
  record.nameId = trace.names.intern(name);
  record.streamId = 13;
  trace.kernels.push_back(record);
  return static_cast<std::uint32_t>(trace.kernels.size() - 1);
}

void TraceBuilder::copy(Ns start, Ns length, std::int64_t bytes, Ns launchStart) {
  MemopRecord record;
  record.correlationId = launch("cudaMemcpyAsync", LaunchKind::Copy, launchStart);
  record.start = at_ + start;
  record.end = at_ + start + length;
  record.bytes = bytes;
  record.streamId = 7;
  record.kind = MemopKind::CopyDtoD;
  trace.memops.push_back(record);
}

void TraceBuilder::end(Ns drained) {
  trace.iterations.back().issued = at_ + 9'000;
  trace.iterations.back().drained = at_ + drained;
  at_ += 2 * drained;
  open_ = false;
}

std::shared_ptr<Run> syntheticRun() {
  auto run = emptyRun();
  run->passes = {passOf(onePass(), 0, 0), passOf(eager(), 1, 1), passOf(eager(), 2, 1),
                 passOf(onePass(), 3, 0)};
  finish(*run);
  return run;
}

std::shared_ptr<Run> failingRun(ErrorCode code) {
  auto run = emptyRun();
  run->passes = {passOf(onePass(), 0, 0), passOf(broken(code), 1, 1), passOf(broken(code), 2, 1),
                 passOf(onePass(), 3, 0)};
  if (code == ErrorCode::MixedMethods) {
    run->implementations[1].failure =
        MixedMethods("The passes of eager were measured by cupti and by events.",
                     "Measure it again by one method.")
            .info();
  }
  finish(*run);
  return run;
}

std::shared_ptr<Run> runOf(Trace trace) {
  auto run = emptyRun();
  run->implementations.resize(1);
  run->passes = {passOf(std::move(trace), 0, 0)};
  finish(*run);
  return run;
}

std::shared_ptr<Run> markedRun() {
  Trace trace = eager();
  const std::uint32_t unnamed = trace.names.intern("");
  const auto add = [&](const char* name, Ns start, Ns end, RangeKind kind,
                       RangeKnown known = RangeKnown::Whole, const char* domain = "",
                       std::uint32_t thread = 4'242) {
    trace.ranges.push_back(
        {start, end, trace.names.intern(name), trace.names.intern(domain), thread, kind, known});
  };
  for (std::uint32_t i = 0; i < trace.iterations.size(); ++i) {
    const Ns at = trace.iterations[i].called + 6'000;
    add("forward", at - 5'800, at + 8'800, RangeKind::Nested);
    add("norm", at - 5'500, at + 6'000, RangeKind::Nested);
    add("scale", at + 6'500, at + 8'500, RangeKind::Nested);
    if (i != 3) continue;
    add("checkpoint", at - 5'700, at - 5'700, RangeKind::Mark);
    add("open", at + 7'000, 0, RangeKind::Nested, RangeKnown::Beginning);
    add("prefetch", at + 8'000, at + 40'000, RangeKind::Free, RangeKnown::Whole, "loader");
    trace.ranges.push_back({0, at - 5'900, unnamed, unnamed, 77, RangeKind::Nested, RangeKnown::End});
  }
  return runOf(std::move(trace));
}

std::shared_ptr<Run> longRun(std::uint32_t kernels) {
  TraceBuilder builder;
  builder.begin();
  for (std::uint32_t i = 0; i < kernels; ++i) builder.kernel("k", Ns{i} * 1'000, 700, 7, -5'000 + i);
  builder.end(Ns{kernels} * 1'000 + 1'000);
  return runOf(std::move(builder.trace));
}

std::shared_ptr<Run> ofNoMachine(const Run& run) {
  auto copy = std::make_shared<Run>(run);
  for (const char* own : {"kernel", "device uuid", "launch core"}) copy->environment.erase(own);
  return copy;
}

}  // namespace opscope::uitest
