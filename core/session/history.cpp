// SPDX-License-Identifier: Apache-2.0
#include "session/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "session/comparison.h"
#include "session/csv_fields.h"
#include "session/device_record.h"
#include "session/imported.h"

namespace opscope {
namespace {

bool belongsTo(const HistorySeries& series, const HistoryPoint& point) {
  const HistoryPoint& first = series.points.front();
  return series.implementation == point.run->implementations[point.implementation].name &&
         isSameWork(*first.run, *point.run) &&
         !otherKey(*point.run, point.implementation, *first.run, first.implementation);
}

void judgeAll(HistorySeries& series) {
  const HistoryPoint& reference = series.points[series.reference];
  const std::vector<std::shared_ptr<const Run>> then{reference.run};
  std::optional<double> floor;
  for (HistoryPoint& point : series.points)
    if (point.run->noiseFloor) floor = std::max(floor.value_or(0), point.run->noiseFloor->share);
  series.band = thresholdFor(floor, reference.run->timestampTick, reference.busy.median);
  for (std::size_t i = 0; i < series.points.size(); ++i)
    if (i != series.reference)
      series.points[i].against =
          compareWithEarlier(*series.points[i].run, series.points[i].implementation, then);
}

std::string titleOf(const HistorySeries& series) {
  const Run& run = series.first();
  std::string title = fmt::format("{}  {}  {}  {}  {}", run.op, run.workload, run.dtype, dimensionsText(run),
                                  series.implementation);
  return title;
}

std::string clockText(const HistoryPoint& point) {
  const auto clock = observedSmClock(point.run->passesOf(point.implementation));
  return clock ? fmt::format("{:.0f}", *clock) : "-";
}

std::string verdictOf(const HistoryPoint& point) {
  if (!point.against) return "reference";
  if (point.against->refusal) return "not comparable";
  return fmt::format("{}{}{}", point.otherKernels() ? "different kernels; " : "",
                     nameOf(point.against->verdict), point.against->range ? "" : " (few passes)");
}

}  // namespace

std::vector<HistorySeries> historyOf(std::span<const HistoryRun> runs, const HistoryPoint* reference) {
  std::vector<HistoryPoint> points;
  for (const HistoryRun& each : runs)
    for (std::uint32_t i = 0; i < each.run->implementations.size(); ++i)
      if (const ImplementationResult& result = each.run->implementations[i];
          result.hasNumber() && result.busy.median > 0 && !isImported(*each.run))
        points.push_back({each.run, i, each.session, result.busy, {}});
  std::stable_sort(points.begin(), points.end(), [](const HistoryPoint& a, const HistoryPoint& b) {
    return a.run->startedUnixNs < b.run->startedUnixNs;
  });
  std::vector<HistorySeries> history;
  for (HistoryPoint& point : points) {
    auto series = std::find_if(history.begin(), history.end(),
                               [&](const HistorySeries& each) { return belongsTo(each, point); });
    if (series == history.end()) {
      history.push_back({point.run->implementations[point.implementation].name, {}, 0, {}});
      series = history.end() - 1;
    }
    if (reference != nullptr && reference->run == point.run &&
        reference->implementation == point.implementation)
      series->reference = series->points.size();
    series->points.push_back(std::move(point));
  }
  for (HistorySeries& series : history) judgeAll(series);
  return history;
}

std::string bandSentence(const HistorySeries& series) {
  switch (series.band.source) {
    case Threshold::Source::NoiseFloor:
      return fmt::format("The band is {}.", thresholdText(series.band));
    case Threshold::Source::Tick:
    case Threshold::Source::Asked:
    case Threshold::Source::Method:
      break;
  }
  const bool known = std::any_of(series.points.begin(), series.points.end(),
                                 [](const HistoryPoint& point) { return point.run->noiseFloor.has_value(); });
  return fmt::format("The band is {}{}.", thresholdText(series.band),
                     known ? ", above the device's noise floor"
                           : ": no noise floor of the device is known (`opscope noise` measures it)");
}

std::vector<FurtherTable> historyTables(const std::vector<HistorySeries>& history,
                                        const std::vector<std::string>& names) {
  std::vector<FurtherTable> tables;
  for (const HistorySeries& series : history) {
    const Run& run = series.first();
    FurtherTable table{titleOf(series),
                       {"measured", "session", "busy", "p10", "p90", "n", "SM MHz", "ratio", "verdict"},
                       {0, 1, 8},
                       {},
                       {}};
    for (const HistoryPoint& point : series.points)
      table.rows.push_back(
          {dateText(point.run->startedUnixNs), names.at(point.session), formatNs(point.busy.median),
           formatNs(point.busy.p10), formatNs(point.busy.p90), fmt::format("{}", point.busy.n),
           clockText(point),
           point.against && !point.against->refusal ? ratioNumber(point.against->ratio) : "1",
           verdictOf(point)});
    table.remarks.push_back(fmt::format("{} figures of {}, method {}, L2 {}. {}", run.figures, run.deviceName,
                                        run.method, run.l2, bandSentence(series)));
    for (const HistoryPoint& point : series.points)
      if (point.against && !point.against->refusal &&
          (point.otherKernels() || point.against->verdict == Verdict::Slower ||
           point.against->verdict == Verdict::Faster))
        table.remarks.push_back(fmt::format("{}: {}", dateText(point.run->startedUnixNs),
                                            earlierSentence(*point.run, *point.against)));
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string historyCsv(const std::vector<HistorySeries>& history, const std::vector<std::string>& names) {
  std::string out =
      "series,op,workload,dtype,dimensions,implementation,device,figures,method,l2,started_unix_ns,session,"
      "busy_median_ns,busy_p10_ns,busy_p90_ns,n,ratio,range_low,range_high,threshold,threshold_source,"
      "verdict,"
      "different_kernels,environment\r\n";
  for (std::size_t s = 0; s < history.size(); ++s)
    for (const HistoryPoint& point : history[s].points) {
      const Run& run = *point.run;
      std::vector<std::string> fields{fmt::format("{}", s + 1),
                                      run.op,
                                      run.workload,
                                      run.dtype,
                                      dimensionsText(run),
                                      history[s].implementation,
                                      run.deviceName,
                                      run.figures,
                                      run.method,
                                      run.l2,
                                      fmt::format("{}", run.startedUnixNs),
                                      names.at(point.session)};
      for (const double value : {point.busy.median, point.busy.p10, point.busy.p90})
        fields.push_back(fmt::format("{}", value));
      fields.push_back(fmt::format("{}", point.busy.n));
      const bool compared = point.against && !point.against->refusal;
      const bool ranged = compared && point.against->range;
      fields.push_back(compared ? fmt::format("{}", point.against->ratio) : "");
      fields.push_back(ranged ? fmt::format("{}", point.against->range->low) : "");
      fields.push_back(ranged ? fmt::format("{}", point.against->range->high) : "");
      fields.push_back(compared ? fmt::format("{}", point.against->threshold.share) : "");
      fields.emplace_back(compared ? nameOf(point.against->threshold.source) : std::string_view());
      fields.push_back(point.against ? (compared ? std::string(nameOf(point.against->verdict)) : "refused")
                                     : "reference");
      fields.emplace_back(point.otherKernels() ? "1" : "0");
      fields.push_back(environmentText(run));
      out += csvLine(fields);
    }
  return out;
}

}  // namespace opscope
