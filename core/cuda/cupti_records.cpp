// SPDX-License-Identifier: Apache-2.0
#include "cuda/cupti_records.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <utility>

namespace opscope::cuda {
namespace {

// A library newer than the headers hands out longer records. All versions of a kind share the fields of the
// ones named here, so only these are read.
using KernelPrefix = CUpti_ActivityKernel9;
using MemcpyPrefix = CUpti_ActivityMemcpy5;
using MemsetPrefix = CUpti_ActivityMemset4;
using OverheadPrefix = CUpti_ActivityOverhead;

template <typename Record>
const Record& as(const CUpti_Activity& record) {
  return *reinterpret_cast<const Record*>(&record);
}

Ns ns(std::uint64_t value) {
  return static_cast<Ns>(value);
}

MemopKind kindOf(std::uint8_t copyKind) {
  switch (copyKind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return MemopKind::CopyHtoD;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return MemopKind::CopyDtoH;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return MemopKind::CopyDtoD;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return MemopKind::CopyHtoH;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return MemopKind::CopyPeer;
    default:
      return MemopKind::Other;
  }
}

std::string overheadName(std::uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "DRIVER_COMPILER";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "BUFFER_FLUSH";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "INSTRUMENTATION";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "RESOURCE";
    case 4U << 16:
      return "MODULE_LOADING";
    case 5U << 16:
      return "LAZY_FUNCTION_LOADING";
    case 6U << 16:
      return "COMMAND_BUFFER_FULL";
    case 7U << 16:
      return "BUFFER_REQUEST";
    case 8U << 16:
      return "UVM_INIT";
    default:
      return "OVERHEAD_" + std::to_string(kind);
  }
}

}  // namespace

void RecordReader::add(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return addKernel(record);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return addMemcpy(record);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return addMemset(record);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return addApi(record, runtimeApis_);
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return addApi(record, driverApis_);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return addOverhead(record);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& external = as<CUpti_ActivityExternalCorrelation>(record);
      // Others may label with kinds of their own in the same process.
      if (external.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) {
        const std::uint64_t id = external.externalId;
        trace_.externalIds.push_back({.externalId = id, .correlationId = external.correlationId});
      }
      return;
    }
    default:
      return;
  }
}

void RecordReader::addKernel(const CUpti_Activity& record) {
  const auto& kernel = as<KernelPrefix>(record);
  const LaunchShape shape{
      .gridX = static_cast<std::uint32_t>(kernel.gridX),
      .gridY = static_cast<std::uint32_t>(kernel.gridY),
      .gridZ = static_cast<std::uint32_t>(kernel.gridZ),
      .blockX = static_cast<std::uint32_t>(kernel.blockX),
      .blockY = static_cast<std::uint32_t>(kernel.blockY),
      .blockZ = static_cast<std::uint32_t>(kernel.blockZ),
      .registersPerThread = kernel.registersPerThread,
      .staticSharedBytes = static_cast<std::uint32_t>(kernel.staticSharedMemory),
      .dynamicSharedBytes = static_cast<std::uint32_t>(kernel.dynamicSharedMemory),
  };
  trace_.kernels.push_back({
      .start = ns(kernel.start),
      .end = ns(kernel.end),
      .queued = ns(kernel.queued),
      .graphNodeId = kernel.graphNodeId,
      .correlationId = kernel.correlationId,
      .nameId = kernelName(kernel.name),
      .shapeId = trace_.internShape(shape),
      .streamId = kernel.streamId,
      .graphId = kernel.graphId,
      .deviceId = kernel.deviceId,
  });
}

void RecordReader::addMemcpy(const CUpti_Activity& record) {
  const auto& copy = as<MemcpyPrefix>(record);
  trace_.memops.push_back({
      .start = ns(copy.start),
      .end = ns(copy.end),
      .bytes = static_cast<std::int64_t>(copy.bytes),
      .correlationId = copy.correlationId,
      .streamId = copy.streamId,
      .graphId = copy.graphId,
      .deviceId = copy.deviceId,
      .kind = kindOf(copy.copyKind),
  });
}

void RecordReader::addMemset(const CUpti_Activity& record) {
  const auto& set = as<MemsetPrefix>(record);
  trace_.memops.push_back({
      .start = ns(set.start),
      .end = ns(set.end),
      .bytes = static_cast<std::int64_t>(set.bytes),
      .correlationId = set.correlationId,
      .streamId = set.streamId,
      .graphId = set.graphId,
      .deviceId = set.deviceId,
      .kind = MemopKind::Set,
  });
}

void RecordReader::addApi(const CUpti_Activity& record, const ApiTable& apis) {
  const auto& call = as<CUpti_ActivityAPI>(record);
  const ApiTable::Entry* api = apis.find(call.cbid);
  // The filter goes on after the kinds are enabled, so calls in between are recorded that launch nothing. A
  // failed call launched nothing either.
  if (api == nullptr || !api->launch || call.returnValue != 0) return;
  trace_.launches.push_back({
      .start = ns(call.start),
      .end = ns(call.end),
      .correlationId = call.correlationId,
      .threadId = call.threadId,
      .apiNameId = trace_.names.intern(api->name),
      .kind = *api->launch,
  });
}

void RecordReader::addOverhead(const CUpti_Activity& record) {
  const auto& overhead = as<OverheadPrefix>(record);
  const bool onThread = overhead.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD;
  trace_.overheads.push_back({
      .start = ns(overhead.start),
      .end = ns(overhead.end),
      .nameId = trace_.names.intern(overheadName(static_cast<std::uint32_t>(overhead.overheadKind))),
      .threadId = onThread ? static_cast<std::uint32_t>(overhead.objectId.pt.threadId) : 0U,
  });
}

std::uint32_t RecordReader::kernelName(const char* mangled) {
  const std::string_view raw = mangled != nullptr ? mangled : "";
  if (const auto found = kernelNames_.find(raw); found != kernelNames_.end()) return found->second;
  std::string plain(raw);
  if (raw.starts_with("_Z")) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                      &std::free);
    if (status == 0 && text) plain = text.get();
  }
  const std::uint32_t id = trace_.names.intern(plain);
  kernelNames_.emplace(raw, id);
  return id;
}

Trace RecordReader::take() {
  kernelNames_.clear();
  if (!empty_.empty())
    std::erase_if(trace_.launches,
                  [&](const LaunchRecord& call) { return empty_.contains(call.correlationId); });
  empty_.clear();
  return std::exchange(trace_, Trace{});
}

}  // namespace opscope::cuda
