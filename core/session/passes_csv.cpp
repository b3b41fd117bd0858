// SPDX-License-Identifier: Apache-2.0
// The passes and the sensors' readings as CSV. Both are about the device as much as about the number, so
// those of an implementation that failed are here too: without a figure of busy.
#include <fmt/format.h>

#include "session/csv_fields.h"
#include "session/export.h"
#include "session/kept.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

using Fields = std::vector<std::string>;

constexpr std::string_view kPassFront = "run,op,workload,dtype,implementation,block,pass,position,";

template <class T>
std::string orEmpty(const std::optional<T>& value) {
  return value ? csvNumber(*value) : std::string();
}

Fields frontOf(const Run& run, std::size_t runNumber, const Pass& pass) {
  return {csvNumber(runNumber),
          run.op,
          run.workload,
          run.dtype,
          run.implementations.at(pass.implementation).name,
          csvNumber(pass.block),
          csvNumber(pass.pass),
          csvNumber(pass.position)};
}

void addRange(Fields& fields, const std::optional<ReadingRange>& range) {
  fields.push_back(range ? csvNumber(range->low) : std::string());
  fields.push_back(range ? csvNumber(range->median) : std::string());
  fields.push_back(range ? csvNumber(range->high) : std::string());
}

std::string wordsOf(const std::optional<std::uint64_t>& reasons) {
  return reasons ? throttleText(*reasons) : std::string();
}

void addSamples(Fields& fields, const Run& run, const Pass& pass) {
  if (!run.implementations[pass.implementation].hasNumber()) {
    fields.resize(fields.size() + 6);
    return;
  }
  const PassFigures figures = figuresOf(pass);
  fields.push_back(csvNumber(figures.busy.n));
  for (const double value : {figures.busy.median, figures.latency.median, figures.kernelsMedian,
                             figures.memopsMedian, figures.memopTimeMedian})
    fields.push_back(csvNumber(value));
}

void addUse(Fields& fields, const std::optional<DeviceUse>& use) {
  fields.push_back(use ? csvNumber(use->processes.size()) : std::string());
  fields.push_back(use ? csvNumber(otherProcesses(*use)) : std::string());
  fields.push_back(use ? csvNumber(otherBusyProcesses(*use)) : std::string());
}

}  // namespace

std::string passesCsv(const Runs& runs) {
  std::string out = fmt::format(
      "{}n,busy_median_ns,latency_median_ns,kernels_median,memops_median,memop_time_median_ns,warmups,"
      "attempts,started_unix_ns,finished_unix_ns,loop_wall_ns,readings,sm_clock_low_mhz,sm_clock_median_mhz,"
      "sm_clock_high_mhz,memory_clock_low_mhz,memory_clock_median_mhz,memory_clock_high_mhz,hottest_c,"
      "power_low_mw,power_median_mw,power_high_mw,throttle_reasons,processes,other_processes,"
      "other_busy_processes,failure,device,figures,method,l2,environment\r\n",
      kPassFront);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const auto& pass : runs[r]->passes) {
      const Run& run = *runs[r];
      const TelemetrySummary summary = summariseTelemetry(*pass);
      Fields fields = frontOf(run, r + 1, *pass);
      addSamples(fields, run, *pass);
      for (const std::string& text :
           {csvNumber(pass->warmups), csvNumber(pass->attempts), csvNumber(pass->startedUnixNs),
            csvNumber(pass->finishedUnixNs), csvNumber(pass->loopWall), csvNumber(summary.readings)})
        fields.push_back(text);
      addRange(fields, summary.smClockMhz);
      addRange(fields, summary.memoryClockMhz);
      fields.push_back(orEmpty(summary.hottestC));
      addRange(fields, summary.powerMilliwatt);
      fields.push_back(wordsOf(summary.throttleReasons));
      addUse(fields, pass->use);
      fields.emplace_back(pass->failure ? nameOf(pass->failure->code) : std::string_view());
      for (const std::string& text :
           {run.deviceName, run.figures, pass->method, pass->l2, environmentText(run)})
        fields.push_back(text);
      out += csvLine(fields);
    }
  return out;
}

std::string telemetryCsv(const Runs& runs) {
  std::string out = fmt::format(
      "{}at_ns,sm_clock_mhz,memory_clock_mhz,temperature_c,power_mw,throttle_bits,throttle_reasons,"
      "device\r\n",
      kPassFront);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const auto& pass : runs[r]->passes)
      for (const TelemetrySample& sample : pass->telemetry) {
        Fields fields = frontOf(*runs[r], r + 1, *pass);
        for (const std::string& text :
             {csvNumber(sample.at), orEmpty(sample.smClockMhz), orEmpty(sample.memoryClockMhz),
              orEmpty(sample.temperatureC), orEmpty(sample.powerMilliwatt), orEmpty(sample.throttleReasons),
              wordsOf(sample.throttleReasons), runs[r]->deviceName})
          fields.push_back(text);
        out += csvLine(fields);
      }
  return out;
}

}  // namespace opscope
