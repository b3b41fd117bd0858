// SPDX-License-Identifier: Apache-2.0
#include "cuda/cupti_collector.h"

#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <span>
#include <utility>

#include "base/error.h"
#include "cuda/nested_launches.h"

namespace opscope::cuda {
namespace {

// CONCURRENT_KERNEL and never KERNEL, which serialises; never GRAPH_TRACE, which replaces a graph's kernels.
// Without RUNTIME and DRIVER no external-correlation record appears.
constexpr std::array kKinds{
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
    CUPTI_ACTIVITY_KIND_RUNTIME,
    CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_OVERHEAD,  // last: see kindsFor
};
// MEMCPY2 (between devices) is not enabled: a call runs on one device.

// CUPTI records its own request for a buffer as overhead. Where a buffer cannot hold that record it requests
// another one for it, and so on until the stack ends (seen with 8 bytes), so tiny buffers go without overhead
// records.
constexpr std::int64_t kBytesForOverheads = 4096;

std::span<const CUpti_ActivityKind> kindsFor(std::int64_t bufferBytes) {
  const std::span all(kKinds);
  return bufferBytes < kBytesForOverheads ? all.first(all.size() - 1) : all;
}

// Ranges are stamped by CUPTI's own clock and named by CUPTI's number of a thread, as launches are.
std::int64_t cuptiNow() {
  return CuptiProcess::instance().now();
}
std::uint32_t cuptiThread() {
  return static_cast<std::uint32_t>(::pthread_self());
}

constexpr std::uint32_t kForced = 1;  // return every buffer, full or not

std::string nameOfKind(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return "kernels";
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return "external ids";
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return "runtime calls";
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return "driver calls";
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return "copies";
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return "fills";
    default:
      return "its own overhead";
  }
}

}  // namespace

const CuptiApi& CuptiCollector::api() const {
  return *process_.api();
}

void CuptiCollector::refuse(CUptiResult result, const std::string& doing) const {
  std::string remedy = "Run the doctor command: it says what is missing.";
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
      result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
    remedy = kAllowProfiling;
  throw DeviceUnavailable(fmt::format("CUPTI refused while {}: {}", doing, api().textOf(result)), remedy);
}

void CuptiCollector::open(const CollectOptions& options) {
  if (open_) throw InternalError("The collector is already open");
  process_.claim();
  if (!reader_) reader_.emplace(api().runtimeApis, api().driverApis);
  if (!process_.attach(*reader_, options.bufferBytes))
    throw DeviceUnavailable("Another measurement in this process is recording",
                            "Wait until it is done: CUPTI has one set of records per process.");
  open_ = true;
  popRefused_ = CUPTI_SUCCESS;
  try {
    std::size_t before = 0;
    api().getNumDroppedRecords(nullptr, 0, &before);  // reading resets the counter
    enableAll(kindsFor(options.bufferBytes));
    ranges_.start({.now = &cuptiNow, .thread = &cuptiThread});
  } catch (...) {
    discard();
    throw;
  }
}

void CuptiCollector::enableAll(std::span<const CUpti_ActivityKind> kinds) {
  for (const CUpti_ActivityKind kind : kinds) {
    if (const CUptiResult result = api().enable(kind); result != CUPTI_SUCCESS)
      refuse(result, "starting to record " + nameOfKind(kind));
    ++enabledKinds_;
  }
  // Enabling a kind traces all its functions, so the filter comes after it: everything that launches nothing
  // goes. Functions that this driver does not have are refused, and need no filter.
  const auto filter = [](const ApiTable& apis, auto setTraced) {
    for (std::uint32_t id = 1; id < apis.entries.size(); ++id)
      if (!apis.entries[id].launch) setTraced(id, 0);
  };
  filter(api().runtimeApis, api().enableRuntimeApi);
  filter(api().driverApis, api().enableDriverApi);
}

void CuptiCollector::disableAll() noexcept {
  while (enabledKinds_ > 0) api().disable(kKinds[--enabledKinds_]);
}

void CuptiCollector::push(std::uint64_t externalId) {
  const CUptiResult result = api().pushExternalId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, externalId);
  if (result != CUPTI_SUCCESS) [[unlikely]]
    refuse(result, fmt::format("labelling with {}", externalId));
  ++pushed_;
}

// Called on the way out of failures too, so a refusal is kept for close() instead of being thrown.
void CuptiCollector::pop() {
  std::uint64_t id = 0;
  const CUptiResult result = api().popExternalId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id);
  if (result != CUPTI_SUCCESS) popRefused_ = result;
  --pushed_;
}

void CuptiCollector::popAll() noexcept {
  std::uint64_t id = 0;
  for (; pushed_ > 0; --pushed_)
    if (api().popExternalId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &id) != CUPTI_SUCCESS) break;
  pushed_ = 0;
}

Trace CuptiCollector::close() {
  if (!open_) throw InternalError("The collector is not open");
  if (const CUptiResult result = api().flushAll(kForced); result != CUPTI_SUCCESS) {
    discard();
    refuse(result, "handing over its records");
  }
  std::size_t dropped = 0;
  const CUptiResult counted = api().getNumDroppedRecords(nullptr, 0, &dropped);
  disableAll();
  popAll();
  const bool outOfMemory = process_.detach();
  process_.release();
  open_ = false;
  Trace trace = reader_->take();
  if (popRefused_ != CUPTI_SUCCESS) refuse(std::exchange(popRefused_, CUPTI_SUCCESS), "ending a label");
  if (outOfMemory)
    throw OutOfMemory("The program ran out of host memory for the records of a pass",
                      "Measure fewer iterations at a time.");
  foldNestedLaunches(trace);
  ranges_.stop(trace);
  trace.dropped = {.proven = counted == CUPTI_SUCCESS && process_.dropCounterProven(), .records = dropped};
  return trace;
}

void CuptiCollector::discard() noexcept {
  ranges_.discard();
  if (!open_) return;
  // Flushed and thrown away: what stayed in CUPTI's buffers would turn up in the next pass.
  api().flushAll(kForced);
  disableAll();
  popAll();
  process_.detach();
  process_.release();
  open_ = false;
  try {
    reader_->take();
  } catch (...) {
    reader_.reset();
  }
}

}  // namespace opscope::cuda
