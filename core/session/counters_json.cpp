// SPDX-License-Identifier: Apache-2.0
#include "session/counters_json.h"

#include <nlohmann/json.hpp>

#include "session/memory_traffic.h"

namespace opscope {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const MemoryTraffic& traffic) {
  return {{"dram_read_bytes", traffic.dramRead},
          {"dram_written_bytes", traffic.dramWritten},
          {"l2_bytes", traffic.l2},
          {"profiled_ns", traffic.profiled}};
}

Json toJson(const Run& run, const ImplementationResult& result, const CounterReading& reading) {
  const std::optional<double> ratio = claimedOverMoved(run, result);
  Json json{{"failure", nullptr},
            {"l2", reading.l2},
            {"l2_size_bytes", reading.l2Bytes},
            {"calls", reading.calls.size()},
            {"counted_as", reading.together ? "call" : "kernel"},
            {"copies_in_call", reading.copies},
            {"call_median", toJson(medianCall(reading))},
            {"claimed_over_dram", ratio ? Json(*ratio) : Json(nullptr)},
            {"kernel_medians", Json::array()}};
  for (const KernelTraffic& kernel : medianKernels(reading)) {
    Json one{{"name", kernel.name}};
    one.update(toJson(kernel.traffic));
    json["kernel_medians"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

void addCounters(Json& json, const Run& run, const ImplementationResult& result) {
  if (result.counters) json["counters"] = toJson(run, result, *result.counters);
  if (!result.countersRefused) return;
  const ErrorInfo& why = *result.countersRefused;
  json["counters"] = {
      {"failure", {{"name", nameOf(why.code)}, {"message", why.message}, {"remedy", why.remedy}}}};
}

}  // namespace opscope
