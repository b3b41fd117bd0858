// SPDX-License-Identifier: Apache-2.0
#include "cuda/cupti_records.h"

#include <catch2/catch_test_macros.hpp>

#include "cuda/empty_calls.h"

using namespace opscope;
using cuda::ApiTable;
using cuda::RecordReader;

namespace {

const ApiTable kRuntime{
    {{"", std::nullopt}, {"cudaLaunchKernel", LaunchKind::Kernel}, {"cudaStreamSynchronize", std::nullopt}}};
const ApiTable kDriver{{{"", std::nullopt}, {"cuGraphLaunch", LaunchKind::Graph}}};

template <typename Record>
void add(RecordReader& reader, const Record& record) {
  reader.add(reinterpret_cast<const CUpti_Activity&>(record));
}

}  // namespace

TEST_CASE("kernel records are copied field by field, names and shapes interned") {
  RecordReader reader(kRuntime, kDriver);
  CUpti_ActivityKernel9 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = 1'900'000'000'000'000'100;
  record.end = 1'900'000'000'000'000'164;
  record.queued = 1'900'000'000'000'000'007;
  record.graphNodeId = 0x1'0000'0002;
  record.graphId = 3;
  record.correlationId = 41;
  record.streamId = 7;
  record.deviceId = 1;
  record.gridX = 2;
  record.gridY = 3;
  record.gridZ = 4;
  record.blockX = 128;
  record.blockY = 1;
  record.blockZ = 1;
  record.registersPerThread = 255;
  record.staticSharedMemory = 1024;
  record.dynamicSharedMemory = 2048;
  record.name = "_Z5scaleIfEvPT_";
  add(reader, record);
  record.correlationId = 42;
  add(reader, record);
  record.name = "plain";
  record.gridX = 9;
  add(reader, record);
  record.name = nullptr;
  add(reader, record);

  const Trace trace = reader.take();
  REQUIRE(trace.kernels.size() == 4);
  const KernelRecord& kernel = trace.kernels[0];
  CHECK(kernel.start == 1'900'000'000'000'000'100);
  CHECK(kernel.end == 1'900'000'000'000'000'164);
  CHECK(kernel.queued == 1'900'000'000'000'000'007);
  CHECK(kernel.graphNodeId == 0x1'0000'0002);
  CHECK(kernel.graphId == 3);
  CHECK(kernel.correlationId == 41);
  CHECK(kernel.streamId == 7);
  CHECK(kernel.deviceId == 1);
  CHECK(trace.names.text(kernel.nameId) == "void scale<float>(float*)");
  CHECK(trace.kernels[1].nameId == kernel.nameId);
  CHECK(trace.kernels[1].shapeId == kernel.shapeId);
  CHECK(trace.names.text(trace.kernels[2].nameId) == "plain");
  CHECK(trace.names.text(trace.kernels[3].nameId).empty());
  REQUIRE(trace.shapes.size() == 2);
  CHECK(trace.shapes[0] == LaunchShape{2, 3, 4, 128, 1, 1, 255, 1024, 2048});
  CHECK(reader.take().kernels.empty());
}

TEST_CASE("a call that asks for nothing is no launch") {
  RecordReader reader(kRuntime, kDriver);
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = 1;
  for (const std::uint32_t id : {7U, 8U, 9U}) {
    call.correlationId = id;
    add(reader, call);
  }
  reader.addEmpty(8);
  const Trace trace = reader.take();
  REQUIRE(trace.launches.size() == 2);
  CHECK(trace.launches[0].correlationId == 7);
  CHECK(trace.launches[1].correlationId == 9);
  // Correlation ids start again in another context: what was empty once says nothing of the next pass.
  call.correlationId = 8;
  add(reader, call);
  CHECK(reader.take().launches.size() == 1);
}

TEST_CASE("the size of a fill or copy is read from the arguments of the call") {
  cudaMemsetAsync_v3020_params fill{};
  fill.count = 4096;
  constexpr auto kFill = CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020;
  CHECK(cuda::sizeAsked(CUPTI_CB_DOMAIN_RUNTIME_API, kFill, &fill) == 4096);
  fill.count = 0;
  CHECK(cuda::sizeAsked(CUPTI_CB_DOMAIN_RUNTIME_API, kFill, &fill) == 0);
  cudaMemcpyAsync_ptsz_v7000_params copy{};
  copy.count = 12;
  CHECK(cuda::sizeAsked(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000,
                        &copy) == 12);
  cuMemsetD32Async_params words{};
  words.N = 3;
  CHECK(cuda::sizeAsked(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async, &words) == 3);
  // The same number in the other domain is another function; a launch has no size.
  CHECK_FALSE(cuda::sizeAsked(CUPTI_CB_DOMAIN_DRIVER_API, kFill, &fill));
  CHECK_FALSE(
      cuda::sizeAsked(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &fill));
  CHECK_FALSE(cuda::sizeAsked(CUPTI_CB_DOMAIN_RUNTIME_API, kFill, nullptr));
}

TEST_CASE("only launches that succeeded are kept of the API records") {
  RecordReader reader(kRuntime, kDriver);
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = 1;
  call.start = 10;
  call.end = 20;
  call.correlationId = 5;
  call.threadId = 77;
  add(reader, call);
  call.cbid = 2;  // launches nothing
  add(reader, call);
  call.cbid = 900;  // a function that this table does not know
  add(reader, call);
  call.cbid = 1;
  call.returnValue = 1;
  add(reader, call);
  call.returnValue = 0;
  call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  add(reader, call);

  const Trace trace = reader.take();
  REQUIRE(trace.launches.size() == 2);
  CHECK(trace.launches[0].start == 10);
  CHECK(trace.launches[0].end == 20);
  CHECK(trace.launches[0].correlationId == 5);
  CHECK(trace.launches[0].threadId == 77);
  CHECK(trace.launches[0].kind == LaunchKind::Kernel);
  CHECK(trace.names.text(trace.launches[0].apiNameId) == "cudaLaunchKernel");
  CHECK(trace.launches[1].kind == LaunchKind::Graph);
}

TEST_CASE("copies, fills, overheads and our external ids are kept") {
  RecordReader reader(kRuntime, kDriver);
  CUpti_ActivityMemcpy5 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  copy.bytes = 4096;
  copy.start = 1;
  copy.end = 3;
  copy.correlationId = 6;
  add(reader, copy);
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.bytes = 64;
  set.start = 4;
  set.end = 5;
  add(reader, set);
  CUpti_ActivityOverhead overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  overhead.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  overhead.objectId.pt.threadId = 12;
  overhead.start = 6;
  overhead.end = 9;
  add(reader, overhead);
  CUpti_ActivityExternalCorrelation external{};
  external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
  external.externalId = std::uint64_t{1} << 32;
  external.correlationId = 6;
  add(reader, external);
  external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;  // somebody else's
  add(reader, external);

  const Trace trace = reader.take();
  REQUIRE(trace.memops.size() == 2);
  CHECK(trace.memops[0].kind == MemopKind::CopyDtoD);
  CHECK(trace.memops[0].bytes == 4096);
  CHECK(trace.memops[0].correlationId == 6);
  CHECK(trace.memops[1].kind == MemopKind::Set);
  CHECK(trace.memops[1].end == 5);
  REQUIRE(trace.overheads.size() == 1);
  CHECK(trace.names.text(trace.overheads[0].nameId) == "BUFFER_FLUSH");
  CHECK(trace.overheads[0].threadId == 12);
  REQUIRE(trace.externalIds.size() == 1);
  CHECK(trace.externalIds[0].externalId == kPrepareId);
}
