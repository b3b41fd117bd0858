// SPDX-License-Identifier: Apache-2.0
#include "import/trace_gaps.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "trace/measure.h"

namespace opscope {
namespace {

// Union and holes of kernels that stand in the order of their start.
LaneTotals totalsOf(const Trace& trace, std::span<const std::uint32_t> kernels) {
  LaneTotals totals;
  totals.kernels = kernels.size();
  Ns reached = kernels.empty() ? 0 : trace.kernels[kernels.front()].start;
  for (const std::uint32_t k : kernels) {
    const KernelRecord& kernel = trace.kernels[k];
    totals.sum += kernel.end - kernel.start;
    if (kernel.start > reached) {
      ++totals.gaps;
      totals.gapTime += kernel.start - reached;
      reached = kernel.start;
    }
    if (kernel.end > reached) {
      totals.busy += kernel.end - reached;
      reached = kernel.end;
    }
  }
  return totals;
}

}  // namespace

ClockBounds importedClock(const Trace& trace, const Attribution& attribution) {
  std::vector<Ns> latencies;
  for (std::size_t i = 0; i < attribution.iterations(); ++i) {
    Ns reached = 0;
    bool first = true;
    for (const std::uint32_t k : attribution.kernelsOf(i)) {
      const KernelRecord& kernel = trace.kernels[k];
      const std::uint32_t l = attribution.launchOf[k];
      if (l != Attribution::kNoLaunch && !first) {
        const LaunchRecord& launch = trace.launches[l];
        if (launch.start >= reached && kernel.start >= launch.end)
          latencies.push_back(kernel.start - launch.end);
      }
      reached = first ? kernel.end : std::max(reached, kernel.end);
      first = false;
    }
  }
  ClockBounds bounds;
  if (latencies.empty()) return bounds;
  const auto middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
  std::nth_element(latencies.begin(), middle, latencies.end());
  bounds.launchLatency = *middle;
  return bounds;
}

TraceGaps gapsIn(const Trace& trace, const TraceSelection& selection) {
  TraceGaps result;
  result.trace = select(trace, selection, true);
  result.attribution = groupByIteration(result.trace);
  result.clock = importedClock(result.trace, result.attribution);
  result.gaps = findGaps(result.trace, result.attribution, result.clock);
  result.byCause = totalByCause(result.gaps);

  const auto kernels = result.attribution.kernelsOf(0);
  result.all = totalsOf(result.trace, kernels);
  result.latency = result.all.busy + result.all.gapTime;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> streams;
  for (const std::uint32_t k : kernels)
    streams[{result.trace.kernels[k].deviceId, result.trace.kernels[k].streamId}].push_back(k);
  for (const auto& [where, own] : streams) {
    LaneTotals totals = totalsOf(result.trace, own);
    totals.deviceId = where.first;
    totals.streamId = where.second;
    result.streams.push_back(totals);
  }
  for (const Gap& gap : result.gaps) {
    const std::uint32_t launch = result.attribution.launchOf[gap.after];
    if (launch == Attribution::kNoLaunch) {
      ++result.gapsWithoutLaunch;
    } else if (result.trace.launches[launch].start > gap.start) {
      ++result.lateGaps;
      result.lateGapTime += gap.length();
    }
  }
  return result;
}

}  // namespace opscope
