// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>

#include "cuda/cupti_api.h"
#include "cuda/library.h"

namespace opscope::cuda {

/// The functions of CUPTI that count, and the library that CUPTI itself opens to make sense of the counters.
/// Apart from CuptiApi, because records must work where these are missing.
struct RangeProfilerApi {
  Library nvperf;  ///< libnvperf_host
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiProfilerDeInitialize) deinitialize = nullptr;
  decltype(&cuptiProfilerDeviceSupported) deviceSupported = nullptr;
  decltype(&cuptiDeviceGetChipName) chipName = nullptr;
  decltype(&cuptiProfilerHostInitialize) hostInitialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) hostDeinitialize = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) addMetrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) configImageSize = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) configImage = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) numberOfPasses = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;
  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) counterDataSize = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) initializeCounterData = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) setConfig = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerPushRange) pushRange = nullptr;
  decltype(&cuptiRangeProfilerPopRange) popRange = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) counterDataInfo = nullptr;

  /// Throws LibraryMissing: CUPTI is too old, or libnvperf_host is not here.
  static RangeProfilerApi load(const CuptiApi& cupti);
};

/// Throws what a refusal while counting means: DeviceUnavailable (permission, another profiler), NotSupported
/// (this GPU, this chip), OutOfMemory. `doing` completes "while ...".
[[noreturn]] void throwCountingRefused(const CuptiApi& cupti, CUptiResult result, const std::string& doing);

}  // namespace opscope::cuda
