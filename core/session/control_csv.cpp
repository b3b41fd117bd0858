// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "session/csv_fields.h"
#include "session/export.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

using Fields = std::vector<std::string>;

Fields frontOf(const Run& run, const ImplementationResult& result) {
  return {run.op, run.workload, run.dtype, result.name};
}

void addBack(Fields& fields, const Run& run, std::size_t runNumber) {
  for (const std::string& text : {run.deviceName, run.figures, csvNumber(runNumber), environmentText(run)})
    fields.push_back(text);
}

constexpr const char* kControlFront = "op,workload,dtype,implementation";
constexpr const char* kBack = "device,figures,run,environment\r\n";

std::string prequeuedLines(const Run& run, std::size_t runNumber, const ImplementationResult& result) {
  const PrequeuedResult& prequeued = *result.prequeued;
  std::string out;
  const auto add = [&](Fields own) {
    Fields fields = frontOf(run, result);
    fields.insert(fields.end(), own.begin(), own.end());
    addBack(fields, run, runNumber);
    out += csvLine(fields);
  };
  if (prequeued.failure) {
    add({"failure", "", "", "", "", "", "", "", "", failureText(*prequeued.failure)});
    return out;
  }
  const PrequeuedComparison& c = prequeued.comparison;
  const auto total = [&](const char* quantity, Ns normal, Ns held) {
    add({quantity, "", "", csvNumber(normal), csvNumber(held), csvNumber(normal - held), "", "", "", ""});
  };
  total("latency", c.latencyNormal, c.latencyHeld);
  total("gaps", c.gapNormal, c.gapHeld);
  total("host part", c.hostNormal, c.hostHeld);
  for (const PrequeuedGap& gap : c.gaps)
    add({"gap", csvNumber(gap.position), gap.after, csvNumber(gap.normal), csvNumber(gap.held),
         csvNumber(gap.hostCost()), gap.count > 0 ? std::string(nameOf(gap.label)) : std::string(),
         fmt::format("{}/{}", gap.labelled, gap.count), std::string(nameOf(gap.result)), ""});
  if (!c.whyNoGaps.empty()) add({"gap", "", "", "", "", "", "", "", "", c.whyNoGaps});
  return out;
}

std::string methodLine(const Run& run, std::size_t runNumber, const ImplementationResult& result,
                       const MethodReading& reading) {
  Fields fields = frontOf(run, result);
  fields.insert(fields.end(), {reading.method, reading.l2, csvNumber(reading.callsPerReading)});
  if (reading.failure) {
    fields.resize(fields.size() + 7);
  } else {
    const Summary& s = reading.perCall;
    fields.push_back(csvNumber(s.n));
    for (const double value : {s.median, s.p10, s.p90, s.min, s.max, s.iqr})
      fields.push_back(csvNumber(value));
  }
  fields.push_back(reading.includes);
  fields.push_back(reading.failure ? failureText(*reading.failure) : std::string());
  addBack(fields, run, runNumber);
  return csvLine(fields);
}

}  // namespace

std::string prequeuedCsv(const Runs& runs) {
  std::string out;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const ImplementationResult& result : runs[r]->implementations)
      if (result.prequeued) out += prequeuedLines(*runs[r], r + 1, result);
  if (out.empty()) return out;
  return fmt::format(
             "{},quantity,position,kernel_after,measured_ns,queued_ahead_ns,host_cost_ns,label,labelled,"
             "experiment,remark,{}",
             kControlFront, kBack) +
         out;
}

std::string methodsCsv(const Runs& runs) {
  std::string out;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const ImplementationResult& result : runs[r]->implementations)
      for (const MethodReading& reading : result.methods) out += methodLine(*runs[r], r + 1, result, reading);
  if (out.empty()) return out;
  return fmt::format(
             "{},method,l2,calls_per_reading,n,median_ns,p10_ns,p90_ns,min_ns,max_ns,iqr_ns,includes,"
             "failure_text,{}",
             kControlFront, kBack) +
         out;
}

}  // namespace opscope
