// SPDX-License-Identifier: Apache-2.0
#include "cuda/cupti_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "cuda/cupti_records.h"
#include "cuda/empty_calls.h"

namespace opscope::cuda {
namespace {

constexpr std::size_t kAlignment = 64;  // CUPTI asks for 8; a cache line keeps its writes off our data

}  // namespace

CuptiProcess& CuptiProcess::instance() {
  // Never destroyed: CUPTI's thread may still return buffers while the process ends.
  static auto* const process = new CuptiProcess;
  return *process;
}

void CuptiProcess::prepareBeforeCuda() {
  const std::lock_guard lock(setup_);
  if (prepared_) return;
  prepared_ = true;
  // A tool around this process can have it only while we leave it alone (engine/launch_calls.h).
  if (const char* wanted = std::getenv("OPSCOPE_CUPTI");
      wanted != nullptr && std::string_view(wanted) == "off") {
    missing_ = "CUPTI is left to another tool (OPSCOPE_CUPTI=off)";
    return;
  }
  api_ = CuptiApi::load(missing_);
  if (!api_) return;
  // Refused in a process where CUDA is already up; whether `queued` arrives is seen in the probe.
  api_->enableLatencyTimestamps(1);
}

void CuptiProcess::claim() {
  prepareBeforeCuda();
  const std::lock_guard lock(setup_);
  if (!api_)
    throw DeviceUnavailable(missing_ + ", so nothing can be recorded",
                            "Install CUPTI (cuda-cupti) or set CUDA_HOME to a CUDA toolkit.");
  if (subscribed_) return;  // by a measurement that is being recorded: attach() refuses a second one
  CUptiResult result = CUPTI_SUCCESS;
  std::string holder;
#ifdef CUpti_SubscriberParams_STRUCT_SIZE
  if (api_->subscribeV2 != nullptr) {
    std::array<char, 256> name{};
    CUpti_SubscriberParams params{};
    params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    params.subscriberName = "opscope";
    params.oldSubscriberName = name.data();
    params.oldSubscriberSize = name.size();
    result = api_->subscribeV2(&subscriber_, &noticeEmptyCall, nullptr, &params);
    holder = name.data();
  } else
#endif
    result = api_->subscribe(&subscriber_, &noticeEmptyCall, nullptr);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED || result == CUPTI_ERROR_MAX_LIMIT_REACHED)
    throw DeviceUnavailable(fmt::format("{} holds CUPTI in this process, and only one tool can",
                                        holder.empty() ? std::string("Another tool") : "\"" + holder + "\""),
                            "Run without Nsight, cuda-gdb, compute-sanitizer or another CUPTI tool around "
                            "this program; a profiler "
                            "that ran in it before, as torch.profiler, keeps CUPTI until the process ends.");
  if (result != CUPTI_SUCCESS)
    throw DeviceUnavailable(fmt::format("CUPTI cannot be used: {}", api_->textOf(result)),
                            "Check that the driver and CUPTI belong together.");
  subscribed_ = true;
  // A function that this driver does not have is refused, and called by nobody.
  for (const SizedApi& api : sizedApis()) api_->enableCallback(1, subscriber_, api.domain, api.id);
  registered_ = api_->registerCallbacks(&requestBuffer, &completeBuffer);
  if (registered_ == CUPTI_SUCCESS) return;
  unsubscribe();
  throw DeviceUnavailable(
      fmt::format("CUPTI does not take our record buffers: {}", api_->textOf(registered_)),
      "Run without another CUPTI tool in this process.");
}

void CuptiProcess::release() noexcept {
  const std::lock_guard lock(setup_);
  unsubscribe();
}

void CuptiProcess::unsubscribe() noexcept {
  if (std::exchange(subscribed_, false)) api_->unsubscribe(subscriber_);
}

// On the thread that calls, before the call is made.
void CUPTIAPI CuptiProcess::noticeEmptyCall(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                            const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite != CUPTI_API_ENTER || sizeAsked(domain, id, call.functionParams) != 0) return;
  CuptiProcess& process = instance();
  const std::lock_guard lock(process.mutex_);
  if (process.reader_ == nullptr) return;
  try {
    process.reader_->addEmpty(call.correlationId);
  } catch (...) {
    process.outOfMemory_ = true;  // said by close(): an exception must not enter CUPTI
  }
}

bool CuptiProcess::attach(RecordReader& reader, std::int64_t bufferBytes) {
  const std::lock_guard lock(mutex_);
  if (reader_ != nullptr) return false;
  reader_ = &reader;
  bufferBytes_ = bufferBytes;
  return true;
}

bool CuptiProcess::detach() {
  const std::lock_guard lock(mutex_);
  reader_ = nullptr;
  return std::exchange(outOfMemory_, false);
}

// A fresh buffer for each request, freed only when CUPTI returns it: recycling hands CUPTI memory that it may
// still be writing to.
void CUPTIAPI CuptiProcess::requestBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords) {
  const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(instance().bufferBytes_, 1));
  const std::size_t allocated = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, allocated));
  *size = *buffer != nullptr ? bytes : 0;
  *maxRecords = 0;
}

void CUPTIAPI CuptiProcess::completeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                           std::size_t validSize) {
  CuptiProcess& process = instance();
  if (buffer != nullptr && validSize > 0) {
    const std::lock_guard lock(process.mutex_);
    if (process.reader_ != nullptr) {
      try {
        CUpti_Activity* record = nullptr;
        while (process.api_->getNextRecord(buffer, validSize, &record) == CUPTI_SUCCESS)
          process.reader_->add(*record);
      } catch (...) {
        process.outOfMemory_ = true;  // said by close(): an exception must not enter CUPTI
      }
    }
  }
  std::free(buffer);
}

Ns CuptiProcess::now() const {
  std::uint64_t now = 0;
  if (api_ && api_->getTimestamp(&now) == CUPTI_SUCCESS) return static_cast<Ns>(now);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace opscope::cuda
