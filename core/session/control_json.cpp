// SPDX-License-Identifier: Apache-2.0
#include "session/control_json.h"

#include <nlohmann/json.hpp>

namespace opscope {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const ErrorInfo& failure) {
  return {{"name", nameOf(failure.code)}, {"message", failure.message}, {"remedy", failure.remedy}};
}

Json toJson(const PrequeuedGap& gap) {
  Json json{{"position", gap.position},  {"before", gap.before},        {"after", gap.after},
            {"measured_ns", gap.normal}, {"queued_ahead_ns", gap.held}, {"host_cost_ns", gap.hostCost()},
            {"labelled", gap.labelled},  {"gaps", gap.count},           {"experiment", nameOf(gap.result)}};
  json["label"] = gap.count > 0 ? Json(nameOf(gap.label)) : Json(nullptr);
  return json;
}

Json toJson(const PrequeuedResult& prequeued) {
  if (prequeued.failure) return {{"failure", toJson(*prequeued.failure)}};
  const PrequeuedComparison& c = prequeued.comparison;
  const auto both = [](Ns normal, Ns held) {
    return Json{{"measured_ns", normal}, {"queued_ahead_ns", held}};
  };
  Json json{{"failure", nullptr},
            {"latency", both(c.latencyNormal, c.latencyHeld)},
            {"gaps_of_a_call", both(c.gapNormal, c.gapHeld)},
            {"host_part", both(c.hostNormal, c.hostHeld)},
            {"why_no_gaps", c.whyNoGaps},
            {"gaps", Json::array()}};
  for (const PrequeuedGap& gap : c.gaps) json["gaps"].push_back(toJson(gap));
  return json;
}

Json toJson(const MethodReading& reading) {
  Json json{{"method", reading.method},
            {"l2", reading.l2},
            {"includes", reading.includes},
            {"calls_per_reading", reading.callsPerReading}};
  json["failure"] = reading.failure ? toJson(*reading.failure) : Json(nullptr);
  json["per_call"] = reading.failure ? Json(nullptr) : summaryJson(reading.perCall);
  return json;
}

}  // namespace

nlohmann::ordered_json summaryJson(const Summary& s) {
  return {{"n", s.n},        {"median_ns", s.median}, {"p10_ns", s.p10}, {"p90_ns", s.p90},
          {"min_ns", s.min}, {"max_ns", s.max},       {"iqr_ns", s.iqr}};
}

void addControls(Json& json, const ImplementationResult& result) {
  if (result.prequeued) json["prequeued"] = toJson(*result.prequeued);
  if (result.tracingCost) {
    const TracingCost& cost = *result.tracingCost;
    json["tracing_cost"] = cost.failure ? Json{{"failure", toJson(*cost.failure)}}
                                        : Json{{"failure", nullptr},
                                               {"off", summaryJson(cost.off)},
                                               {"on", summaryJson(cost.on)},
                                               {"cost_ns", cost.cost()},
                                               {"resolution_ns", cost.resolution()}};
  }
  if (result.methods.empty()) return;
  json["methods"] = Json::array();
  for (const MethodReading& reading : result.methods) json["methods"].push_back(toJson(reading));
}

}  // namespace opscope
