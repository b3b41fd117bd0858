// SPDX-License-Identifier: Apache-2.0
#include "import/trace_builder.h"

#include <algorithm>
#include <limits>

#include "import/steps.h"
#include "trace/attribution.h"
#include "trace/correlation_index.h"

namespace opscope {

std::uint32_t TraceBuilder::shape(const LaunchShape& shape) {
  const auto [at, fresh] =
      shapes_.try_emplace(shape, static_cast<std::uint32_t>(result_.trace.shapes.size()));
  if (fresh) result_.trace.shapes.push_back(shape);
  return at->second;
}

std::size_t TraceBuilder::ShapeHash::operator()(const LaunchShape& shape) const {
  std::size_t hash = 0;
  for (const std::uint32_t part :
       {shape.gridX, shape.gridY, shape.gridZ, shape.blockX, shape.blockY, shape.blockZ,
        shape.registersPerThread, shape.staticSharedBytes, shape.dynamicSharedBytes})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return hash;
}

void TraceBuilder::add(KernelRecord kernel, std::optional<std::uint32_t> correlationId) {
  if (!correlationId) unnumberedKernels_.push_back(static_cast<std::uint32_t>(result_.trace.kernels.size()));
  kernel.correlationId = correlationId.value_or(0);
  if (kernel.streamId == kUnknownId || kernel.deviceId == kUnknownId) ++result_.gaps.unknownStreams;
  result_.trace.kernels.push_back(kernel);
}

void TraceBuilder::add(MemopRecord memop, std::optional<std::uint32_t> correlationId) {
  if (!correlationId) unnumberedMemops_.push_back(static_cast<std::uint32_t>(result_.trace.memops.size()));
  memop.correlationId = correlationId.value_or(0);
  if (memop.streamId == kUnknownId || memop.deviceId == kUnknownId) ++result_.gaps.unknownStreams;
  result_.trace.memops.push_back(memop);
}

void TraceBuilder::add(const LaunchRecord& launch, std::uint64_t processId) {
  result_.trace.launches.push_back(launch);
  launchProcesses_.push_back(processId);
}

bool TraceBuilder::addDuration(Ns duration) {
  if (duration > std::numeric_limits<Ns>::max() - durations_) return false;
  durations_ += duration;
  return true;
}

// Most API calls put no work into a stream and answer no record: they are left out. Where several calls carry
// one id (two processes in one file) nobody can say which of them launched the kernel.
void TraceBuilder::keepOneLaunchPerId() {
  Trace& trace = result_.trace;
  std::vector<std::uint32_t> working;
  working.reserve(trace.kernels.size() + trace.memops.size());
  for (const KernelRecord& kernel : trace.kernels) working.push_back(kernel.correlationId);
  for (const MemopRecord& memop : trace.memops) working.push_back(memop.correlationId);
  std::sort(working.begin(), working.end());
  working.erase(std::unique(working.begin(), working.end()), working.end());
  const auto answered = [&](const LaunchRecord& launch) {
    return std::binary_search(working.begin(), working.end(), launch.correlationId);
  };

  std::vector<std::uint32_t> order;
  for (std::uint32_t l = 0; l < trace.launches.size(); ++l)
    if (trace.launches[l].kind != LaunchKind::Other || answered(trace.launches[l])) order.push_back(l);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return trace.launches[a].correlationId < trace.launches[b].correlationId;
  });
  std::vector<std::uint32_t> kept;
  for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
    const auto same = [&](std::uint32_t l) {
      return trace.launches[l].correlationId == trace.launches[order[from]].correlationId;
    };
    while (to < order.size() && same(order[to])) ++to;
    if (to - from == 1) {
      kept.push_back(order[from]);
      continue;
    }
    std::vector<std::uint32_t> launching;
    for (std::size_t i = from; i < to; ++i)
      if (trace.launches[order[i]].kind != LaunchKind::Other) launching.push_back(order[i]);
    if (launching.size() == 1) {
      kept.push_back(launching.front());
    } else {
      result_.gaps.ambiguousLaunches += to - from;
    }
  }
  std::sort(kept.begin(), kept.end());
  std::vector<LaunchRecord> launches;
  std::vector<std::uint64_t> processes;
  launches.reserve(kept.size());
  for (const std::uint32_t l : kept) {
    launches.push_back(trace.launches[l]);
    processes.push_back(launchProcesses_[l]);
    if (!answered(trace.launches[l])) ++result_.gaps.launchesWithoutWork;
  }
  trace.launches = std::move(launches);
  launchProcesses_ = std::move(processes);
}

// What carries no correlation id gets one that nothing else has: the records of an iteration are told by it.
void TraceBuilder::numberTheUnnumbered() {
  Trace& trace = result_.trace;
  result_.gaps.kernelsWithoutCorrelation = unnumberedKernels_.size();
  if (unnumberedKernels_.empty() && unnumberedMemops_.empty()) return;
  std::vector<std::uint32_t> used;
  std::size_t next = 0;
  for (std::uint32_t k = 0; k < trace.kernels.size(); ++k) {
    const bool without = next < unnumberedKernels_.size() && unnumberedKernels_[next] == k;
    if (without)
      ++next;
    else
      used.push_back(trace.kernels[k].correlationId);
  }
  next = 0;
  for (std::uint32_t m = 0; m < trace.memops.size(); ++m) {
    const bool without = next < unnumberedMemops_.size() && unnumberedMemops_[next] == m;
    if (without)
      ++next;
    else
      used.push_back(trace.memops[m].correlationId);
  }
  for (const LaunchRecord& launch : trace.launches) used.push_back(launch.correlationId);
  std::sort(used.begin(), used.end());
  std::uint32_t id = 0;
  auto taken = used.begin();
  const auto unused = [&] {
    ++id;
    while (true) {
      while (taken != used.end() && *taken < id) ++taken;
      if (taken == used.end() || *taken != id) return id;
      ++id;
    }
  };
  for (const std::uint32_t k : unnumberedKernels_) trace.kernels[k].correlationId = unused();
  for (const std::uint32_t m : unnumberedMemops_) trace.memops[m].correlationId = unused();
}

void TraceBuilder::oneIteration() {
  Trace& trace = result_.trace;
  IterationMark whole;
  bool first = true;
  const auto widen = [&](Ns start, Ns end) {
    whole.called = first ? start : std::min(whole.called, start);
    whole.drained = first ? end : std::max(whole.drained, end);
    first = false;
  };
  for (const KernelRecord& kernel : trace.kernels) widen(kernel.start, kernel.end);
  for (const MemopRecord& memop : trace.memops) widen(memop.start, memop.end);
  for (const LaunchRecord& launch : trace.launches) widen(launch.start, launch.end);
  if (first) return;
  whole.issued = whole.called;
  for (const LaunchRecord& launch : trace.launches) whole.issued = std::max(whole.issued, launch.end);
  trace.iterations.push_back(whole);
  const auto number = [&](std::uint32_t id) { trace.externalIds.push_back({0, id}); };
  for (const KernelRecord& kernel : trace.kernels) number(kernel.correlationId);
  for (const MemopRecord& memop : trace.memops) number(memop.correlationId);
  for (const LaunchRecord& launch : trace.launches) number(launch.correlationId);
}

void TraceBuilder::makeIterations(const std::string& iterations) {
  Trace& trace = result_.trace;
  const Steps steps = findSteps(result_.annotations, trace.names, iterations);
  for (std::size_t l = 0; l < trace.launches.size(); ++l)
    if (const auto step = steps.at(trace.launches[l].start, launchProcesses_[l]))
      trace.externalIds.push_back({*step, trace.launches[l].correlationId});
  if (const ExternalIds ids(trace.externalIds);
      std::none_of(trace.kernels.begin(), trace.kernels.end(), [&](const KernelRecord& kernel) {
        return ids[kernel.correlationId] != ExternalIds::kNone;
      })) {
    trace.externalIds.clear();
    oneIteration();
    makeRanges({});
  } else {
    for (const Annotation& step : steps.stretches) {
      trace.iterations.push_back({step.start, step.end, step.end});
      result_.iterationNames.push_back(trace.names.text(step.nameId));
    }
    // An iteration lasts until the device has done what was launched in it, as far as that is recorded.
    const auto reach = [&](std::uint32_t id, Ns end) {
      if (const std::uint64_t at = ids[id]; at < trace.iterations.size())
        trace.iterations[at].drained = std::max(trace.iterations[at].drained, end);
    };
    for (const KernelRecord& kernel : trace.kernels) reach(kernel.correlationId, kernel.end);
    for (const MemopRecord& memop : trace.memops) reach(memop.correlationId, memop.end);
    makeRanges(steps.places);
  }
  // One record per id, in its order, is what finds them quickly.
  auto& ids = trace.externalIds;
  std::sort(ids.begin(), ids.end(), [](const ExternalIdRecord& a, const ExternalIdRecord& b) {
    return a.correlationId < b.correlationId;
  });
  ids.erase(std::unique(ids.begin(), ids.end(),
                        [](const ExternalIdRecord& a, const ExternalIdRecord& b) {
                          return a.correlationId == b.correlationId;
                        }),
            ids.end());
}

// Annotations that are no iterations are shown as what they are. A trace says of none whether it was nested.
void TraceBuilder::makeRanges(const std::vector<std::uint32_t>& iterations) {
  std::vector<char> shown(result_.annotations.size(), 1);
  for (const std::uint32_t place : iterations) shown[place] = 0;
  const std::uint32_t domain = result_.trace.names.intern("");
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Annotation& annotation = result_.annotations[i];
    if (shown[i] == 0) continue;
    result_.trace.ranges.push_back({.start = annotation.start,
                                    .end = annotation.end,
                                    .nameId = annotation.nameId,
                                    .domainId = domain,
                                    .threadId = annotation.threadId,
                                    .kind = RangeKind::Free});
  }
}

void TraceBuilder::countWhatIsOpen() {
  const Trace& trace = result_.trace;
  const CorrelationIndex launches(trace.launches);
  const ExternalIds ids(trace.externalIds);
  for (const KernelRecord& kernel : trace.kernels) {
    if (launches[kernel.correlationId] == CorrelationIndex::kNone) ++result_.gaps.kernelsWithoutLaunch;
    if (ids[kernel.correlationId] >= trace.iterations.size()) ++result_.gaps.kernelsOutside;
  }
}

ImportedTrace TraceBuilder::finish(const std::string& iterations) {
  numberTheUnnumbered();
  keepOneLaunchPerId();
  makeIterations(iterations);
  countWhatIsOpen();
  return std::move(result_);
}

}  // namespace opscope
