// SPDX-License-Identifier: Apache-2.0
#include "cuda/counter_decoder.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace opscope::cuda {
namespace {

// Chosen so that the chip counts all of them in one pass: nothing is replayed.
enum Metric : std::uint8_t { DramRead, DramWritten, L2Bytes, Duration, MetricCount };

std::array<const char*, MetricCount>& names() {
  static std::array<const char*, MetricCount> all{"dram__bytes_read.sum", "dram__bytes_write.sum",
                                                  "lts__t_bytes.sum", "gpu__time_duration.sum"};
  return all;
}

}  // namespace

std::span<const char*> CounterDecoder::metrics() {
  return names();
}

void CounterDecoder::require(CUptiResult result, const char* doing) const {
  if (result != CUPTI_SUCCESS) throwCountingRefused(cupti_, result, doing);
}

CounterDecoder::CounterDecoder(const CuptiApi& cupti, const RangeProfilerApi& api, const std::string& chip)
    : cupti_(cupti), api_(api) {
  CUpti_Profiler_Host_Initialize_Params made{};
  made.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
  made.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  made.pChipName = chip.c_str();
  require(api_.hostInitialize(&made), "looking up the counters of the chip");
  host_ = made.pHostObject;
  try {
    CUpti_Profiler_Host_ConfigAddMetrics_Params added{};
    added.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    added.pHostObject = host_;
    added.ppMetricNames = names().data();
    added.numMetrics = MetricCount;
    require(api_.addMetrics(&added), "choosing the counters of DRAM and L2");

    CUpti_Profiler_Host_GetConfigImageSize_Params size{};
    size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
    size.pHostObject = host_;
    require(api_.configImageSize(&size), "configuring the counters");
    config_.resize(size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params image{};
    image.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
    image.pHostObject = host_;
    image.configImageSize = config_.size();
    image.pConfigImage = config_.data();
    require(api_.configImage(&image), "configuring the counters");

    CUpti_Profiler_Host_GetNumOfPasses_Params passes{};
    passes.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
    passes.configImageSize = config_.size();
    passes.pConfigImage = config_.data();
    require(api_.numberOfPasses(&passes), "configuring the counters");
    if (passes.numOfPasses != 1)
      throw NotSupported(
          fmt::format(
              "The chip {} cannot count DRAM and L2 traffic at once: each kernel would run {} times, from "
              "caches that are not those of the call",
              chip, passes.numOfPasses),
          "Measure without --counters: everything else works.");
  } catch (...) {
    CUpti_Profiler_Host_Deinitialize_Params gone{};
    gone.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
    gone.pHostObject = host_;
    api_.hostDeinitialize(&gone);
    throw;
  }
}

CounterDecoder::~CounterDecoder() {
  CUpti_Profiler_Host_Deinitialize_Params gone{};
  gone.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
  gone.pHostObject = host_;
  api_.hostDeinitialize(&gone);
}

std::vector<MemoryTraffic> CounterDecoder::decode(std::span<const std::uint8_t> counterData) const {
  CUpti_RangeProfiler_GetCounterDataInfo_Params info{};
  info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
  info.pCounterDataImage = counterData.data();
  info.counterDataImageSize = counterData.size();
  require(api_.counterDataInfo(&info), "looking at what was counted");
  std::vector<MemoryTraffic> ranges;
  for (std::size_t range = 0; range < info.numTotalRanges; ++range)
    ranges.push_back(evaluate(counterData, range));
  return ranges;
}

MemoryTraffic CounterDecoder::evaluate(std::span<const std::uint8_t> counterData, std::size_t range) const {
  std::array<double, MetricCount> values{};
  CUpti_Profiler_Host_EvaluateToGpuValues_Params asked{};
  asked.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  asked.pHostObject = host_;
  asked.pCounterDataImage = counterData.data();
  asked.counterDataImageSize = counterData.size();
  asked.rangeIndex = range;
  asked.ppMetricNames = names().data();
  asked.numMetrics = MetricCount;
  asked.pMetricValues = values.data();
  require(api_.evaluate(&asked), "evaluating what was counted");
  for (std::size_t metric = 0; metric < values.size(); ++metric)
    if (!std::isfinite(values[metric]) || values[metric] < 0)
      throw NotSupported(fmt::format("The counter {} gave no value", names()[metric]),
                         "Measure without --counters: everything else works.");
  const auto whole = [&](Metric metric) {
    return static_cast<std::int64_t>(std::llround(values.at(metric)));
  };
  return {.dramRead = whole(DramRead),
          .dramWritten = whole(DramWritten),
          .l2 = whole(L2Bytes),
          .profiled = whole(Duration)};
}

}  // namespace opscope::cuda
