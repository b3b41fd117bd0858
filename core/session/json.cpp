// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "session/comparison.h"
#include "session/control_json.h"
#include "session/counters_json.h"
#include "session/efficiency.h"
#include "session/export.h"
#include "session/kept.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json toJson(const std::optional<ErrorInfo>& failure) {
  if (!failure) return nullptr;
  Json json{{"name", nameOf(failure->code)}, {"message", failure->message}, {"remedy", failure->remedy}};
  if (!failure->place.file.empty())
    json["place"] = {
        {"file", failure->place.file}, {"line", failure->place.line}, {"column", failure->place.column}};
  return json;
}

Json toJson(const GapTotals& totals) {
  Json json = Json::object();
  for (std::size_t cause = 0; cause < totals.size(); ++cause)
    if (totals[cause].count > 0)
      json[std::string(nameOf(static_cast<GapCause>(cause)))] = {{"count", totals[cause].count},
                                                                 {"time_ns", totals[cause].time},
                                                                 {"iterations", totals[cause].iterations}};
  return json;
}

// Null without ceilings that hold: nobody is to read a zero.
Json efficiencyJson(const Run& run, std::uint32_t implementation) {
  const auto efficiency = efficiencyOf(run, implementation);
  if (!efficiency) return nullptr;
  return {{"bound", nameOf(efficiency->bound)},
          {"share", number(efficiency->share)},
          {"ceiling_per_s", number(efficiency->ceiling)},
          {"clock_ratio", efficiency->clockRatio ? number(*efficiency->clockRatio) : Json(nullptr)}};
}

Json toJson(const std::optional<Ceiling>& ceiling) {
  if (!ceiling) return nullptr;
  return {{"per_s", number(ceiling->perSecond)},
          {"sm_clock_mhz", ceiling->smClockMhz ? number(*ceiling->smClockMhz) : Json(nullptr)},
          {"probe", ceiling->probe}};
}

Json ceilingsJson(const Run& run) {
  if (!run.ceilings) return nullptr;
  return {{"measured_at", run.ceilings->measuredAt},  {"memory", toJson(run.ceilings->memory)},
          {"matrix", toJson(run.ceilings->matrix)},   {"used", run.ceilings->hold()},
          {"differences", run.ceilings->differences}, {"sentence", ceilingSentence(run)}};
}

Json toJson(const Run& run, std::uint32_t implementation) {
  const ImplementationResult& r = run.implementations.at(implementation);
  Json json{{"name", r.name},
            {"doc", r.doc},
            {"result", verificationMark(r.verification)},
            {"verification",
             {{"compared", r.verification.compared},
              {"elements", r.verification.elements},
              {"tolerance", number(r.verification.tolerance)},
              {"worst", number(r.verification.worst)},
              {"worst_at", r.verification.where}}},
            {"failure", toJson(r.failure)}};
  if (!r.hasNumber()) return json;
  addCounters(json, run, r);
  json["busy"] = summaryJson(r.busy);
  json["latency"] = summaryJson(r.latency);
  json["gap"] = summaryJson(r.gap);
  json["kernels"] = {{"min", r.kernelsMin}, {"median", r.kernelsMedian}, {"max", r.kernelsMax}};
  json["memops_median"] = r.memopsMedian;
  json["memop_time_median_ns"] = r.memopTimeMedian;
  json["gaps_by_cause"] = toJson(r.gaps);
  json["flops_per_s"] = number(flopsPerSecond(run, r));
  json["bytes_per_s"] = number(bytesPerSecond(run, r));
  json["efficiency"] = efficiencyJson(run, implementation);
  json["iteration_cost_ns"] = r.iterationCost;
  addControls(json, r);
  return json;
}

Json toJson(const Gap& g) {
  Json json{{"iteration", g.iteration}, {"length_ns", g.length()},       {"copy_ns", g.copy},
            {"host_ns", g.host},        {"instrument_ns", g.instrument}, {"device_ns", g.device},
            {"cause", nameOf(g.cause)}};
  if (g.cause == GapCause::Undecided) json["between"] = {nameOf(g.oneCause), nameOf(g.otherCause)};
  return json;
}

Json toJson(const TelemetrySample& t) {
  Json json{{"at_ns", t.at}};
  if (t.smClockMhz) json["sm_clock_mhz"] = *t.smClockMhz;
  if (t.memoryClockMhz) json["memory_clock_mhz"] = *t.memoryClockMhz;
  if (t.temperatureC) json["temperature_c"] = *t.temperatureC;
  if (t.powerMilliwatt) json["power_mw"] = *t.powerMilliwatt;
  if (t.throttleReasons) json["throttle_reasons"] = fmt::format("{:#x}", *t.throttleReasons);
  return json;
}

Json toJson(const ReadingRange& range) {
  return {{"low", range.low}, {"median", range.median}, {"high", range.high}};
}

// What nobody read is left out, as in the readings themselves.
Json toJson(const TelemetrySummary& s) {
  Json json{{"readings", s.readings}};
  if (s.smClockMhz) json["sm_clock_mhz"] = toJson(*s.smClockMhz);
  if (s.memoryClockMhz) json["memory_clock_mhz"] = toJson(*s.memoryClockMhz);
  if (s.hottestC) json["hottest_c"] = *s.hottestC;
  if (s.powerMilliwatt) json["power_mw"] = toJson(*s.powerMilliwatt);
  if (s.throttleReasons) json["throttle_reasons"] = throttleWords(*s.throttleReasons);
  return json;
}

Json toJson(const std::optional<DeviceUse>& use) {
  if (!use) return nullptr;
  Json json{{"own_pid", use->ownPid ? Json(*use->ownPid) : Json(nullptr)},
            {"other_processes", otherProcesses(*use)},
            {"other_busy_processes", otherBusyProcesses(*use)},
            {"processes", Json::array()}};
  for (const DeviceProcess& process : use->processes)
    json["processes"].push_back(
        {{"pid", process.pid},
         {"sm_percent", process.smPercent ? Json(*process.smPercent) : Json(nullptr)},
         {"memory_bytes", process.memoryBytes >= 0 ? Json(process.memoryBytes) : Json(nullptr)}});
  return json;
}

Json toJson(const Evidence& evidence) {
  if (evidence.unit == "text") return {{"name", evidence.name}, {"text", evidence.text}};
  return {{"name", evidence.name}, {"value", number(evidence.value)}, {"unit", evidence.unit}};
}

Json toJson(const Run& run, const Pass& p) {
  Json json{{"implementation", run.implementations.at(p.implementation).name},
            {"block", p.block},
            {"pass", p.pass},
            {"control", p.control},
            {"position", p.position},
            {"method", p.method},
            {"l2", p.l2},
            {"warmups", p.warmups},
            {"iterations", p.trace.iterations.size()},
            {"attempts", p.attempts},
            {"buffer_bytes", p.bufferBytes},
            {"dropped_records", p.trace.dropped.proven ? Json(p.trace.dropped.records) : Json(nullptr)},
            {"started_unix_ns", p.startedUnixNs},
            {"finished_unix_ns", p.finishedUnixNs},
            {"loop_wall_ns", p.loopWall},
            {"launch_latency_ns", p.clock.known ? Json(p.clock.launchLatency) : Json(nullptr)},
            {"clock_uncertainty_ns", p.clock.known ? Json(p.clock.uncertainty()) : Json(nullptr)},
            {"failure", toJson(p.failure)}};
  json["telemetry_summary"] = toJson(summariseTelemetry(p));
  json["device_use"] = toJson(p.use);
  json["telemetry"] = Json::array();
  for (const TelemetrySample& sample : p.telemetry) json["telemetry"].push_back(toJson(sample));
  // After a failure no figure of the implementation leaves, those of its good passes included.
  if (!run.implementations[p.implementation].hasNumber()) return json;
  if (p.kept != RecordsKept::All) {
    json["records"] = nameOf(p.kept);  // why some of what follows is absent
    const PassFigures figures = figuresOf(p);
    json["busy"] = summaryJson(figures.busy);
    json["latency"] = summaryJson(figures.latency);
  }
  if (p.kept == RecordsKept::None) return json;
  Json busy = Json::array();
  Json latency = Json::array();
  Json kernels = Json::array();
  Json memops = Json::array();
  Json memopTime = Json::array();
  for (const Sample& sample : p.samples) {
    busy.push_back(sample.busy);
    latency.push_back(sample.latency);
    kernels.push_back(sample.kernels);
    memops.push_back(sample.memops);
    memopTime.push_back(sample.memopTime);
  }
  json["samples"] = {{"busy_ns", busy},
                     {"latency_ns", latency},
                     {"n_kernels", kernels},
                     {"n_memops", memops},
                     {"memop_time_ns", memopTime}};
  if (p.kept != RecordsKept::All) return json;
  json["gaps"] = Json::array();
  for (const Gap& gap : p.gaps) json["gaps"].push_back(toJson(gap));
  return json;
}

Json toJson(const Run& run, const Finding& f) {
  Json json{{"severity", f.severity == Finding::Severity::Warning ? "warning" : "note"},
            {"rule", f.rule},
            {"sentence", f.sentence}};
  if (f.implementation >= 0)
    json["implementation"] = run.implementations.at(static_cast<std::size_t>(f.implementation)).name;
  if (f.pass >= 0) json["pass"] = f.pass;
  if (f.iteration >= 0) json["iteration"] = f.iteration;
  json["evidence"] = Json::array();
  for (const Evidence& evidence : f.evidence) json["evidence"].push_back(toJson(evidence));
  return json;
}

Json toJson(const Run& run, const BlockComparison& comparison, const AgainstBaseline& row) {
  Json json{{"implementation", run.implementations.at(row.implementation).name},
            {"pooled_ratio", number(row.pooled)},
            {"ratio", row.ratio ? number(*row.ratio) : Json(nullptr)},
            {"interval", nullptr},
            {"fixed_order_ratio", row.fixedOrder ? number(*row.fixedOrder) : Json(nullptr)},
            {"threshold", {{"share", number(row.threshold.share)}, {"source", nameOf(row.threshold.source)}}},
            {"verdict", nameOf(row.verdict)},
            {"reason", nameOf(row.reason)},
            {"sentence", verdictSentence(run, comparison, row)},
            {"blocks", Json::array()}};
  if (row.interval)
    json["interval"] = {{"confidence", kConfidence},
                        {"low", number(row.interval->low)},
                        {"high", number(row.interval->high)}};
  for (const BlockRatio& block : row.blocks)
    json["blocks"].push_back({{"block", block.block}, {"ratio", number(block.ratio)}});
  return json;
}

// What a comparison rests on and what it says. Ratios are implementation / baseline.
Json comparisonJson(const Run& run) {
  if (!run.comparison) return nullptr;
  const BlockComparison& comparison = *run.comparison;
  Json json{{"baseline", run.implementations.at(comparison.baseline).name},
            {"against", Json::array()},
            {"drift", nullptr},
            {"pass_spread", Json::array()},
            {"settling", nullptr},
            {"noise_floor", nullptr},
            {"sentences", comparisonSentences(run)}};
  for (const AgainstBaseline& row : comparison.rows) json["against"].push_back(toJson(run, comparison, row));
  if (comparison.drift)
    json["drift"] = {{"log_per_pass", number(comparison.drift->perStep)},
                     {"pass_step_ns", comparison.drift->step},
                     {"mirrored_pairs", comparison.drift->pairs}};
  for (const PassSpread& spread : comparison.spreads)
    json["pass_spread"].push_back({{"implementation", run.implementations.at(spread.implementation).name},
                                   {"lowest_median_ns", number(spread.lowest)},
                                   {"highest_median_ns", number(spread.highest)},
                                   {"iqr_ns", number(spread.iqr)}});
  if (run.settling)
    json["settling"] = {{"settled", run.settling->settled},
                        {"took_ns", run.settling->took},
                        {"limit_ns", run.settling->limit},
                        {"rounds", run.settling->rounds}};
  if (run.noiseFloor)
    json["noise_floor"] = {{"share", number(run.noiseFloor->share)},
                           {"measured_at", run.noiseFloor->measuredAt},
                           {"differences", run.noiseFloor->differences}};
  return json;
}

Json toJson(const Run& run) {
  Json json{
      {"op", run.op},
      {"family", run.family},
      {"workload", run.workload},
      {"dtype", run.dtype},
      {"dimensions", run.dims},
      {"params", Json::object()},
      {"flops", number(run.flops)},
      {"bytes", number(run.bytes)},
      {"device", {{"id", run.deviceId}, {"name", run.deviceName}}},
      {"figures", run.figures},
      {"method", run.method},
      {"l2", run.l2},
      {"timestamp_tick_ns", run.timestampTick},
      {"memory_bytes_per_s", run.memoryBytesPerSecond > 0 ? number(run.memoryBytesPerSecond) : Json(nullptr)},
      // Text: most JSON readers keep 53 bits of a number, and a rounded seed is another seed.
      {"seed", fmt::format("{}", run.seed)},
      {"blocks", run.blocks},
      {"started_unix_ns", run.startedUnixNs},
      {"finished_unix_ns", run.finishedUnixNs},
      {"cancelled", run.cancelled},
      {"note", run.note},
      {"environment", run.environment}};
  for (const auto& [name, value] : run.params) json["params"][name] = number(value);
  json["implementations"] = Json::array();
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i)
    json["implementations"].push_back(toJson(run, i));
  json["ceilings"] = ceilingsJson(run);
  json["comparison"] = comparisonJson(run);
  json["passes"] = Json::array();
  for (const auto& pass : run.passes) json["passes"].push_back(toJson(run, *pass));
  json["controls"] = Json::array();
  for (const auto& pass : run.controls) json["controls"].push_back(toJson(run, *pass));
  json["findings"] = Json::array();
  for (const Finding& finding : run.findings) json["findings"].push_back(toJson(run, finding));
  return json;
}

}  // namespace

std::string runsJson(const Runs& runs) {
  Json json{{"format", "opscope-runs"}, {"version", 1}, {"runs", Json::array()}};
  for (const auto& run : runs) json["runs"].push_back(toJson(*run));
  // Names come from other people's kernels: bytes that are not UTF-8 must not lose the export.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opscope
