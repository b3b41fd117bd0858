// SPDX-License-Identifier: Apache-2.0
#include "session/iteration_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/format.h"
#include "session/html.h"
#include "trace/attribution.h"
#include "trace/intervals.h"

namespace opscope {
namespace {

constexpr double kWidth = 1200, kLabels = 130, kRow = 18, kBar = 14, kTop = 4, kAxis = 22;
constexpr double kLeast = 0.5;  // what is shorter than this on the page is still seen
// A page of so many rectangles is slow to open, and each is less than a pixel wide.
constexpr std::size_t kMostKernels = 2'000;

struct Bar {
  Ns start = 0;
  Ns end = 0;
  std::string title;
};

struct Lane {
  std::string label;
  std::string_view kind;
  std::vector<Bar> bars;
};

std::string barTitle(std::string_view name, Ns start, Ns end) {
  return fmt::format("{}: {}", name, formatExactNs(end - start));
}

// Kernels of one stream that overlap stand in rows of their own, so that none is hidden.
void addStreams(const Pass& pass, const Attribution& grouped, std::uint32_t iteration,
                std::vector<Lane>& lanes) {
  const auto kernels = grouped.kernelsOf(iteration);
  if (kernels.size() > kMostKernels) {
    lanes.push_back({fmt::format("{} kernels", kernels.size()), "kernel", {}});
    return;
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Lane>> streams;
  for (const std::uint32_t k : kernels) {
    const KernelRecord& kernel = pass.trace.kernels[k];
    auto& rows = streams[{kernel.deviceId, kernel.streamId}];
    auto free = std::find_if(rows.begin(), rows.end(),
                             [&](const Lane& lane) { return lane.bars.back().end <= kernel.start; });
    if (free == rows.end()) {
      rows.push_back({rows.empty() ? fmt::format("stream {}", kernel.streamId) : "", "kernel", {}});
      free = rows.end() - 1;
    }
    free->bars.push_back(
        {kernel.start, kernel.end, barTitle(pass.trace.names.text(kernel.nameId), kernel.start, kernel.end)});
  }
  for (auto& [stream, rows] : streams) lanes.insert(lanes.end(), rows.begin(), rows.end());
}

std::vector<Lane> lanesOf(const Pass& pass, std::uint32_t iteration) {
  const Attribution grouped = groupByIteration(pass.trace);
  const ExternalIds ids(pass.trace.externalIds);
  std::vector<Lane> lanes{{"host", "host", {}}, {"BUSY", "busy", {}}, {"gaps", "gap", {}}};
  for (const LaunchRecord& launch : pass.trace.launches)
    if (ids[launch.correlationId] == iteration)
      lanes[0].bars.push_back({launch.start, launch.end,
                               barTitle(pass.trace.names.text(launch.apiNameId), launch.start, launch.end)});
  std::vector<Interval> intervals;
  for (const std::uint32_t k : grouped.kernelsOf(iteration))
    intervals.push_back({pass.trace.kernels[k].start, pass.trace.kernels[k].end});
  for (const Interval& busy : unionOf(intervals))
    lanes[1].bars.push_back({busy.start, busy.end, barTitle("busy", busy.start, busy.end)});
  for (const Gap& gap : pass.gaps)
    if (gap.iteration == iteration)
      lanes[2].bars.push_back({gap.start, gap.end, barTitle(nameOf(gap.cause), gap.start, gap.end)});
  addStreams(pass, grouped, iteration, lanes);
  Lane copies{"copies", "host", {}};
  for (const std::uint32_t m : grouped.memopsOf(iteration)) {
    const MemopRecord& memop = pass.trace.memops[m];
    copies.bars.push_back({memop.start, memop.end,
                           barTitle(memop.kind == MemopKind::Set ? "fill" : "copy", memop.start, memop.end)});
  }
  if (!copies.bars.empty()) lanes.push_back(std::move(copies));
  return lanes;
}

}  // namespace

std::string drawIteration(const Pass& pass, std::uint32_t iteration) {
  const std::vector<Lane> lanes = lanesOf(pass, iteration);
  Ns from = 0, to = 0;
  bool any = false;
  for (const Lane& lane : lanes)
    for (const Bar& bar : lane.bars) {
      from = any ? std::min(from, bar.start) : bar.start;
      to = any ? std::max(to, bar.end) : bar.end;
      any = true;
    }
  if (!any || to <= from) return "<p>Nothing was recorded of it.</p>\n";
  const double scale = (kWidth - kLabels) / static_cast<double>(to - from);
  const auto x = [&](Ns at) { return kLabels + static_cast<double>(at - from) * scale; };
  const double height = kTop + static_cast<double>(lanes.size()) * kRow + kAxis;
  std::string out =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">\n",
                  kWidth, height);
  double y = kTop;
  for (const Lane& lane : lanes) {
    if (!lane.label.empty())
      out += fmt::format("<text x=\"0\" y=\"{:.1f}\">{}</text>\n", y + kBar - 2, htmlText(lane.label));
    for (const Bar& bar : lane.bars)
      out += fmt::format(
          "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
          "height=\"{:.0f}\"><title>{}</title></rect>\n",
          lane.kind, x(bar.start), y, std::max(kLeast, static_cast<double>(bar.end - bar.start) * scale),
          kBar, htmlText(bar.title));
    y += kRow;
  }
  out += fmt::format("<line class=\"rule\" x1=\"{0:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
                     kLabels, kWidth, y);
  out += fmt::format("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\">0</text>\n", kLabels, y + 16);
  out += fmt::format("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kWidth,
                     y + 16, htmlText(formatNs(static_cast<double>(to - from))));
  return out + "</svg>\n";
}

}  // namespace opscope
