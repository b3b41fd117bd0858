// SPDX-License-Identifier: Apache-2.0
#include "import/gaps_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/format.h"
#include "import/imported_run.h"
#include "session/summary_rows.h"

namespace opscope {
namespace {

using Json = nlohmann::ordered_json;

// Names of C++ kernels have hundreds of characters.
constexpr std::size_t kNameWidth = 48;

std::string text(Ns ns) {
  return formatNs(static_cast<double>(ns));
}

std::string shortened(std::string name) {
  std::replace_if(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  if (name.size() <= kNameWidth) return name;
  std::size_t end = kNameWidth - 3;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // never half a character
  return name.substr(0, end) + "...";
}

std::string shareOf(Ns part, Ns whole) {
  return whole > 0 ? formatShare(static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string idText(std::uint32_t id) {
  return id == kUnknownId ? "unknown" : fmt::format("{}", id);
}

// Of the trace's kernels: where the ruler of the tables has its 0.
Ns firstKernelOf(const Trace& trace) {
  Ns first = trace.kernels.front().start;
  for (const KernelRecord& kernel : trace.kernels) first = std::min(first, kernel.start);
  return first;
}

std::vector<std::uint32_t> longestOf(const GapsReport& report) {
  const std::vector<Gap>& gaps = report.gaps.gaps;
  std::vector<std::uint32_t> order(gaps.size());
  std::iota(order.begin(), order.end(), 0u);
  const std::size_t shown = std::min(report.longest, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return gaps[a].length() != gaps[b].length() ? gaps[a].length() > gaps[b].length()
                                                                  : a < b;
                    });
  order.resize(shown);
  return order;
}

const std::string& nameOfKernel(const GapsReport& report, std::uint32_t kernel) {
  return report.gaps.trace.names.text(report.gaps.trace.kernels[kernel].nameId);
}

FurtherTable streamsTable(const GapsReport& report) {
  FurtherTable table;
  table.title = "each stream alone";
  table.columns = {"device", "stream", "kernels", "busy", "of the whole", "gaps", "gap time"};
  for (const LaneTotals& lane : report.gaps.streams)
    table.rows.push_back({idText(lane.deviceId), idText(lane.streamId), fmt::format("{}", lane.kernels),
                          text(lane.busy), shareOf(lane.busy, report.gaps.latency),
                          fmt::format("{}", lane.gaps), text(lane.gapTime)});
  return table;
}

FurtherTable causesTable(const GapsReport& report) {
  FurtherTable table;
  table.title = "gaps over all of them together, by what the records allow to be said of their cause";
  table.columns = {"cause", "gaps", "time", "of the gap time"};
  for (std::size_t cause = 0; cause < report.gaps.byCause.size(); ++cause) {
    const GapTotal& total = report.gaps.byCause[cause];
    if (total.count == 0) continue;
    table.rows.push_back({std::string(nameOf(static_cast<GapCause>(cause))), fmt::format("{}", total.count),
                          text(total.time), shareOf(total.time, report.gaps.all.gapTime)});
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
    return report.gaps.byCause[static_cast<std::size_t>(gapCauseFromName(a[0]))].time >
           report.gaps.byCause[static_cast<std::size_t>(gapCauseFromName(b[0]))].time;
  });
  if (report.gaps.clock.launchLatency > 0)
    table.remarks.push_back(fmt::format(
        "Launch latency on an idle device: {} (median). The two clocks are taken as one: the trace "
        "does not say how far they are apart.",
        text(report.gaps.clock.launchLatency)));
  return table;
}

FurtherTable longestTable(const GapsReport& report) {
  FurtherTable table;
  const std::vector<std::uint32_t> longest = longestOf(report);
  table.title =
      fmt::format("the {} longest gaps, from the start of the trace's first kernel", longest.size());
  table.columns = {"at", "length", "cause", "between", "and"};
  table.text = {2, 3, 4};
  const Ns first = firstKernelOf(report.trace->trace);
  for (const std::uint32_t g : longest) {
    const Gap& gap = report.gaps.gaps[g];
    table.rows.push_back({text(gap.start - first), text(gap.length()), std::string(nameOf(gap.cause)),
                          shortened(nameOfKernel(report, gap.before)),
                          shortened(nameOfKernel(report, gap.after))});
  }
  return table;
}

std::string devicesText(const GapsReport& report) {
  std::set<std::uint32_t> devices;
  for (const LaneTotals& lane : report.gaps.streams) devices.insert(lane.deviceId);
  std::string words;
  for (const std::uint32_t id : devices) {
    const auto known = std::find_if(report.trace->devices.begin(), report.trace->devices.end(),
                                    [&](const ImportedDevice& device) { return device.id == id; });
    words += fmt::format("{}device {}{}", words.empty() ? "" : ", ", idText(id),
                         known == report.trace->devices.end() ? std::string() : " (" + known->name + ")");
  }
  return words;
}

Json gapJson(const GapsReport& report, const Gap& gap) {
  const auto known = [](Ns instant) { return instant == 0 ? Json(nullptr) : Json(instant); };
  return {{"start_ns", gap.start},
          {"end_ns", gap.end},
          {"length_ns", gap.length()},
          {"cause", nameOf(gap.cause)},
          {"copy_ns", gap.copy},
          {"host_ns", gap.host},
          {"instrument_ns", gap.instrument},
          {"device_ns", gap.device},
          {"launch_entered_ns", known(gap.entered)},
          {"issued_ns", known(gap.issued)},
          {"before", nameOfKernel(report, gap.before)},
          {"after", nameOfKernel(report, gap.after)}};
}

Json laneJson(const LaneTotals& lane) {
  const auto id = [](std::uint32_t value) { return value == kUnknownId ? Json(nullptr) : Json(value); };
  return {{"device", id(lane.deviceId)}, {"stream", id(lane.streamId)}, {"kernels", lane.kernels},
          {"sum_ns", lane.sum},          {"union_ns", lane.busy},       {"gaps", lane.gaps},
          {"gap_ns", lane.gapTime}};
}

Json selectionJson(const TraceSelection& selection) {
  Json json{{"device", nullptr}, {"streams", selection.streams}, {"range_ns", nullptr}};
  if (selection.device) json["device"] = *selection.device;
  if (selection.range) json["range_ns"] = {selection.range->start, selection.range->end};
  return json;
}

}  // namespace

GapsReport reportGaps(const std::string& file, const ImportedTrace& trace, const TraceSelection& selection,
                      std::size_t longest) {
  if (trace.trace.kernels.empty()) throwNoKernel(file, trace);
  GapsReport report{file, &trace, selection, gapsIn(trace.trace, selection), longest};
  if (report.gaps.all.kernels == 0) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> streams;
    for (const KernelRecord& kernel : trace.trace.kernels) streams.insert({kernel.deviceId, kernel.streamId});
    std::string words;
    for (const auto& [device, stream] : streams)
      words +=
          fmt::format("{}device {} stream {}", words.empty() ? "" : ", ", idText(device), idText(stream));
    throw BadInput("None of the trace's kernels is among what was selected",
                   fmt::format("The trace has kernels on {}.", words), {file, 0, 0});
  }
  return report;
}

std::string gapsTable(const GapsReport& report) {
  const TraceGaps& gaps = report.gaps;
  std::string out = fmt::format("{}\nrecorded by {}, not measured by Opscope; {} events\n", report.file,
                                report.trace->tool, report.trace->events);
  out += fmt::format("{} kernels on {} {}, {}\n", gaps.all.kernels, gaps.streams.size(),
                     gaps.streams.size() == 1 ? "stream" : "streams", devicesText(report));
  out += fmt::format("busy {} of {} ({}); {} gaps, {}; durations add up to {}\n", text(gaps.all.busy),
                     text(gaps.latency), shareOf(gaps.all.busy, gaps.latency), gaps.gaps.size(),
                     text(gaps.all.gapTime), text(gaps.all.sum));
  out += drawTable(streamsTable(report));
  if (!gaps.gaps.empty()) {
    out += drawTable(causesTable(report));
    if (report.longest > 0) out += drawTable(longestTable(report));
  }
  const std::vector<std::string> open = openQuestions(*report.trace);
  if (!open.empty()) out += '\n';
  for (const std::string& sentence : open) out += "* " + sentence + "\n";
  return out;
}

std::string gapsJson(const GapsReport& report) {
  const TraceGaps& gaps = report.gaps;
  Json json{
      {"format", "opscope-gaps"},
      {"version", 1},
      {"file", report.file},
      {"recorded_by", report.trace->tool},
      {"selection", selectionJson(report.selection)},
      {"events", report.trace->events},
      {"kernels", gaps.all.kernels},
      {"streams", gaps.streams.size()},
      {"sum_ns", gaps.all.sum},
      {"union_ns", gaps.all.busy},
      {"latency_ns", gaps.latency},
      {"gaps", gaps.gaps.size()},
      {"gap_ns", gaps.all.gapTime},
      {"launch_after_gap_start", gaps.lateGaps},
      {"launch_after_gap_start_gap_ns", gaps.lateGapTime},
      {"gaps_without_launch_record", gaps.gapsWithoutLaunch},
      {"launch_latency_ns", gaps.clock.launchLatency > 0 ? Json(gaps.clock.launchLatency) : Json(nullptr)},
      {"by_cause", Json::array()},
      {"by_stream", Json::array()},
      {"longest", Json::array()},
      {"open", openQuestions(*report.trace)}};
  for (std::size_t cause = 0; cause < gaps.byCause.size(); ++cause)
    if (const GapTotal& total = gaps.byCause[cause]; total.count > 0)
      json["by_cause"].push_back(
          {{"cause", nameOf(static_cast<GapCause>(cause))}, {"gaps", total.count}, {"time_ns", total.time}});
  for (const LaneTotals& lane : gaps.streams) json["by_stream"].push_back(laneJson(lane));
  for (const std::uint32_t g : longestOf(report)) json["longest"].push_back(gapJson(report, gaps.gaps[g]));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opscope
