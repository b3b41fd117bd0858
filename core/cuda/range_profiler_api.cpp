// SPDX-License-Identifier: Apache-2.0
#include "cuda/range_profiler_api.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "cuda/toolkit_paths.h"

namespace opscope::cuda {
namespace {

constexpr const char* kNvperf = "libnvperf_host.so";

// CUPTI opens it by this name when the first metric is asked for, and takes the one that is loaded. Beside
// CUPTI first: the two must be of one version.
Library openNvperf(const CuptiApi& cupti) {
  const std::filesystem::path beside = std::filesystem::path(cupti.library.path()).parent_path() / kNvperf;
  return Library::open({beside.string(), kNvperf}, libraryFolders());
}

}  // namespace

RangeProfilerApi RangeProfilerApi::load(const CuptiApi& cupti) {
  RangeProfilerApi api;
  std::string missing;
  const auto need = [&](const char* name, auto& function) {
    if (!cupti.library.find(name, function)) missing += std::string(missing.empty() ? "" : ", ") + name;
  };
  need("cuptiProfilerInitialize", api.initialize);
  need("cuptiProfilerDeInitialize", api.deinitialize);
  need("cuptiProfilerDeviceSupported", api.deviceSupported);
  need("cuptiDeviceGetChipName", api.chipName);
  need("cuptiProfilerHostInitialize", api.hostInitialize);
  need("cuptiProfilerHostDeinitialize", api.hostDeinitialize);
  need("cuptiProfilerHostConfigAddMetrics", api.addMetrics);
  need("cuptiProfilerHostGetConfigImageSize", api.configImageSize);
  need("cuptiProfilerHostGetConfigImage", api.configImage);
  need("cuptiProfilerHostGetNumOfPasses", api.numberOfPasses);
  need("cuptiProfilerHostEvaluateToGpuValues", api.evaluate);
  need("cuptiRangeProfilerEnable", api.enable);
  need("cuptiRangeProfilerDisable", api.disable);
  need("cuptiRangeProfilerGetCounterDataSize", api.counterDataSize);
  need("cuptiRangeProfilerCounterDataImageInitialize", api.initializeCounterData);
  need("cuptiRangeProfilerSetConfig", api.setConfig);
  need("cuptiRangeProfilerStart", api.start);
  need("cuptiRangeProfilerStop", api.stop);
  need("cuptiRangeProfilerPushRange", api.pushRange);
  need("cuptiRangeProfilerPopRange", api.popRange);
  need("cuptiRangeProfilerDecodeData", api.decode);
  need("cuptiRangeProfilerGetCounterDataInfo", api.counterDataInfo);
  if (!missing.empty())
    throw LibraryMissing(fmt::format("CUPTI in {} is too old to count memory traffic: it lacks {}",
                                     cupti.library.path(), missing),
                         "Install the CUPTI of CUDA 13, or do without --counters.");
  api.nvperf = openNvperf(cupti);
  if (!api.nvperf) {
    const std::string why = api.nvperf.problem().empty()
                                ? fmt::format("{} was not found", kNvperf)
                                : fmt::format("{} could not be loaded: {}", kNvperf, api.nvperf.problem());
    throw LibraryMissing(
        why + ", so memory traffic cannot be counted",
        fmt::format("Install it with CUPTI (cuda-cupti): it belongs beside {}.", cupti.library.path()));
  }
  return api;
}

void throwCountingRefused(const CuptiApi& cupti, CUptiResult result, const std::string& doing) {
  const std::string said = cupti.textOf(result);
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      throw DeviceUnavailable(
          fmt::format("The GPU's counters may not be read by this user ({}, ERR_NVGPUCTRPERM to other tools)",
                      said),
          kAllowProfiling);
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_CHIP_NAME:
    case CUPTI_ERROR_INVALID_METRIC_NAME:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      throw NotSupported(
          fmt::format("CUPTI cannot count the memory traffic of this GPU: {} while {}", said, doing),
          "Measure without --counters: everything else works.");
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      throw DeviceUnavailable(
          fmt::format("Another profiler uses the GPU's counters ({})", said),
          "End Nsight Compute, DCGM's profiling or whatever else reads them, and try again.");
    case CUPTI_ERROR_OUT_OF_MEMORY:
      throw OutOfMemory(fmt::format("CUPTI ran out of memory while {}", doing), "Free memory of the GPU.");
    default:
      throw DeviceUnavailable(
          fmt::format("CUPTI refused while {}: {}", doing, said),
          "Measure without --counters, or run the doctor command: it says what is missing.");
  }
}

}  // namespace opscope::cuda
