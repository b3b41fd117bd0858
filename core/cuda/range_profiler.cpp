// SPDX-License-Identifier: Apache-2.0
#include "cuda/range_profiler.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "cuda/cuda_check.h"

namespace opscope::cuda {
namespace {

CUcontext currentContext() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found),
        "looking up the GPU's context");
  CUcontext context = nullptr;
  if (entry == nullptr || reinterpret_cast<CUresult (*)(CUcontext*)>(entry)(&context) != CUDA_SUCCESS ||
      context == nullptr)
    throw DeviceUnavailable("The GPU's context, which counters belong to, cannot be had",
                            "Measure without --counters: everything else works.");
  return context;
}

}  // namespace

void RangeProfiler::require(CUptiResult result, const char* doing) const {
  if (result != CUPTI_SUCCESS) throwCountingRefused(cupti(), result, doing);
}

void RangeProfiler::load() {
  process_.claim();
  process_.release();
  if (!api_) api_ = RangeProfilerApi::load(cupti());
  CUpti_Profiler_Initialize_Params begun{};
  begun.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  require(api().initialize(&begun), "starting to count");
  initialized_ = true;
  if (decoder_) return;
  checkSupported();
  CUpti_Device_GetChipName_Params chip{};
  chip.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  chip.deviceIndex = static_cast<std::size_t>(ordinal_);
  require(api().chipName(&chip), "asking for the chip's name");
  decoder_ = std::make_unique<CounterDecoder>(cupti(), api(), chip.pChipName);
}

// Says which of its own conditions a GPU fails, where the driver knows; the functions themselves only refuse.
void RangeProfiler::checkSupported() const {
  CUpti_Profiler_DeviceSupported_Params asked{};
  asked.structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE;
  asked.cuDevice = ordinal_;
  asked.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (api().deviceSupported(&asked) != CUPTI_SUCCESS ||
      asked.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED ||
      asked.isSupported == CUPTI_PROFILER_CONFIGURATION_UNKNOWN)
    return;
  const std::pair<CUpti_Profiler_Support_Level, const char*> conditions[]{
      {asked.architecture, "its architecture is too old"},
      {asked.sli, "SLI is on"},
      {asked.vGpu, "it is a virtual GPU without profiling"},
      {asked.confidentialCompute, "confidential computing is on"},
      {asked.cmp, "it is a mining processor"},
      {asked.wsl, "it is used through WSL"}};
  std::string why;
  for (const auto& [level, text] : conditions)
    if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED || level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
      why += (why.empty() ? "" : ", ") + std::string(text);
  throw NotSupported(fmt::format("Memory traffic cannot be counted on this GPU: {}",
                                 why.empty() ? "the driver does not support it" : why),
                     "Measure without --counters: everything else works.");
}

void RangeProfiler::enable(std::size_t ranges) {
  try {
    load();
    CUpti_RangeProfiler_Enable_Params enabled{};
    enabled.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
    enabled.ctx = currentContext();
    require(api().enable(&enabled), "taking the GPU's counters");
    profiler_ = enabled.pRangeProfilerObject;
    ranges_ = ranges;
    CUpti_RangeProfiler_GetCounterDataSize_Params size{};
    size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = CounterDecoder::metrics().data();
    size.numMetrics = CounterDecoder::metrics().size();
    size.maxNumOfRanges = ranges_;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges_);
    require(api().counterDataSize(&size), "making room for what is counted");
    counterData_.resize(size.counterDataSize);
  } catch (...) {
    disable();
    throw;
  }
}

void RangeProfiler::disable() noexcept {
  if (started_) {
    CUpti_RangeProfiler_Stop_Params stopped{};
    stopped.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
    stopped.pRangeProfilerObject = profiler_;
    api().stop(&stopped);
    started_ = false;
  }
  if (profiler_ != nullptr) {
    CUpti_RangeProfiler_Disable_Params disabled{};
    disabled.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
    disabled.pRangeProfilerObject = profiler_;
    api().disable(&disabled);
    profiler_ = nullptr;
  }
  if (initialized_) {
    // Takes the hooks out of the driver again: a timed pass after this is to be what it was before.
    CUpti_Profiler_DeInitialize_Params ended{};
    ended.structSize = CUpti_Profiler_DeInitialize_Params_STRUCT_SIZE;
    api().deinitialize(&ended);
    initialized_ = false;
  }
}

void RangeProfiler::arm(CountedRange counted) {
  counted_ = counted;
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params image{};
  image.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
  image.pRangeProfilerObject = profiler_;
  image.counterDataSize = counterData_.size();
  image.pCounterData = counterData_.data();
  require(api().initializeCounterData(&image), "making room for what is counted");

  CUpti_RangeProfiler_SetConfig_Params config{};
  config.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
  config.pRangeProfilerObject = profiler_;
  config.configSize = decoder_->config().size();
  config.pConfig = decoder_->config().data();
  config.counterDataImageSize = counterData_.size();
  config.pCounterDataImage = counterData_.data();
  // One pass is enough, so neither way replays anything.
  config.range = counted == CountedRange::Kernel ? CUPTI_AutoRange : CUPTI_UserRange;
  config.replayMode = counted == CountedRange::Kernel ? CUPTI_KernelReplay : CUPTI_UserReplay;
  config.maxRangesPerPass = ranges_;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  require(api().setConfig(&config), "configuring the GPU's counters");
}

void RangeProfiler::start() {
  CUpti_RangeProfiler_Start_Params begun{};
  begun.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
  begun.pRangeProfilerObject = profiler_;
  require(api().start(&begun), "starting to count");
  started_ = true;
  if (counted_ == CountedRange::Kernel) return;
  CUpti_RangeProfiler_PushRange_Params range{};
  range.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE;
  range.pRangeProfilerObject = profiler_;
  range.pRangeName = "call";
  require(api().pushRange(&range), "starting to count a call");
}

std::vector<MemoryTraffic> RangeProfiler::stop() {
  if (counted_ == CountedRange::Whole) {
    CUpti_RangeProfiler_PopRange_Params range{};
    range.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE;
    range.pRangeProfilerObject = profiler_;
    require(api().popRange(&range), "stopping to count a call");
  }
  CUpti_RangeProfiler_Stop_Params stopped{};
  stopped.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
  stopped.pRangeProfilerObject = profiler_;
  started_ = false;
  require(api().stop(&stopped), "stopping to count");
  CUpti_RangeProfiler_DecodeData_Params decoded{};
  decoded.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
  decoded.pRangeProfilerObject = profiler_;
  require(api().decode(&decoded), "reading the GPU's counters");
  if (decoded.numOfRangeDropped > 0)
    throw RecordsLost(
        fmt::format("{} kernels of a counted call were lost: it launched more than the {} there was "
                    "room for",
                    decoded.numOfRangeDropped, ranges_),
        "Measure without --counters: the number of kernels changes from call to call.");
  return decoder_->decode(counterData_);
}

}  // namespace opscope::cuda
