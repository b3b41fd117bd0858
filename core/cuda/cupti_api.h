// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <optional>
#include <string>

#include "cuda/launch_apis.h"
#include "cuda/library.h"

namespace opscope::cuda {

/// What to do where profiling is reserved to administrators.
inline constexpr const char* kAllowProfiling =
    "Ask the machine's administrator to allow profiling for users (NVreg_RestrictProfilingToAdminUsers=0 for "
    "the "
    "nvidia kernel module), or run as root.";

/// The functions of CUPTI that are used here, from whichever library was found. CUPTI loads without a driver;
/// then everything but the look-ups fails.
struct CuptiApi {
  Library library;
  decltype(&cuptiGetVersion) getVersion = nullptr;
  decltype(&cuptiGetResultString) getResultString = nullptr;
  decltype(&cuptiGetTimestamp) getTimestamp = nullptr;
  decltype(&cuptiGetCallbackName) getCallbackName = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enableCallback = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) registerCallbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityEnableRuntimeApi) enableRuntimeApi = nullptr;
  decltype(&cuptiActivityEnableDriverApi) enableDriverApi = nullptr;
  decltype(&cuptiActivityEnableLatencyTimestamps) enableLatencyTimestamps = nullptr;
  decltype(&cuptiActivityFlushAll) flushAll = nullptr;
  decltype(&cuptiActivityGetNextRecord) getNextRecord = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) getNumDroppedRecords = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) pushExternalId = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) popExternalId = nullptr;
  /// Tells who holds CUPTI; null in versions that cannot.
  CUptiResult (*subscribeV2)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*, void* params) = nullptr;

  ApiTable runtimeApis;
  ApiTable driverApis;
  std::uint32_t version = 0;  ///< as CUPTI counts: 130001

  /// nullopt and a sentence in `why` when no usable library is found.
  static std::optional<CuptiApi> load(std::string& why);
  /// "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
  std::string textOf(CUptiResult result) const;
};

}  // namespace opscope::cuda
