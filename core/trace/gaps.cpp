// SPDX-License-Identifier: Apache-2.0
#include "trace/gaps.h"

#include <algorithm>
#include <array>
#include <limits>

#include "trace/intervals.h"

namespace opscope {
namespace {

constexpr std::array<std::string_view, kGapCauses> kCauseNames{
    "clock-suspect", "no-launch-record", "in-graph", "copy",     "instrument",
    "host-late",     "latency-exposed",  "queued",   "undecided"};

const LaunchRecord* launchOf(const Trace& trace, const Attribution& attribution, std::uint32_t kernel) {
  const std::uint32_t at = attribution.launchOf[kernel];
  return at == Attribution::kNoLaunch ? nullptr : &trace.launches[at];
}

// When the kernel entered the queue: its own word, or the end of the call that launched it. `submitted` of
// CUPTI is no use here: it follows the previous kernel's end even for work queued long before.
Ns issuedOf(const KernelRecord& kernel, const LaunchRecord* launch) {
  if (kernel.queued != 0) return kernel.queued;
  return launch ? launch->end : 0;
}

// Overheads as one union; copies of one iteration likewise.
std::vector<Interval> overheadsOf(const Trace& trace) {
  std::vector<Interval> all;
  all.reserve(trace.overheads.size());
  for (const OverheadRecord& overhead : trace.overheads) all.push_back({overhead.start, overhead.end});
  return unionOf(std::move(all));
}

// Total of `overheads` inside `window` but outside the copies.
Ns instrumentIn(const std::vector<Interval>& overheads, const std::vector<Interval>& copies,
                Interval window) {
  Ns total = covered(overheads, window);
  if (total == 0 || copies.empty()) return total;
  for (const Interval& copy : copies) {
    const Interval both{std::max(copy.start, window.start), std::min(copy.end, window.end)};
    if (both.end > both.start) total -= covered(overheads, both);
  }
  return total;
}

void splitParts(Gap& gap, const std::vector<Interval>& copies, const std::vector<Interval>& overheads) {
  const Ns issued = gap.issued == 0 ? gap.start : std::clamp(gap.issued, gap.start, gap.end);
  const Interval waiting{gap.start, issued};
  const Ns copyWhileWaiting = covered(copies, waiting);
  gap.copy = covered(copies, {gap.start, gap.end});
  const Ns hostAndInstrument = waiting.length() - copyWhileWaiting;
  gap.instrument = std::min(hostAndInstrument, instrumentIn(overheads, copies, waiting));
  gap.host = hostAndInstrument - gap.instrument;
  gap.device = gap.length() - gap.copy - hostAndInstrument;
}

// Where `issued` falls between the boundaries e - L and e.
GapCause causeByIssue(Ns issued, Ns idleFrom, Ns launchLatency) {
  if (issued > idleFrom) return GapCause::HostLate;
  return issued > idleFrom - launchLatency ? GapCause::LatencyExposed : GapCause::Queued;
}

void label(Gap& gap, const Trace& trace, const LaunchRecord* launch, const ClockBounds& clock) {
  const KernelRecord &before = trace.kernels[gap.before], &after = trace.kernels[gap.after];
  if (launch && after.start < launch->start) {
    gap.cause = GapCause::ClockSuspect;
    return;
  }
  if (!launch) {
    gap.cause = GapCause::NoLaunchRecord;
    return;
  }
  if (after.graphId != 0 && after.correlationId == before.correlationId) {
    gap.cause = GapCause::InGraph;
    return;
  }
  const Ns largest = std::max({gap.copy, gap.host, gap.instrument, gap.device});
  if (gap.copy == largest && gap.copy > 0) {
    gap.cause = GapCause::Copy;
    return;
  }
  if (gap.instrument == largest && gap.instrument > 0) {
    gap.cause = GapCause::Instrument;
    return;
  }
  gap.cause = causeByIssue(gap.issued, gap.start, clock.launchLatency);
  const GapCause early = causeByIssue(gap.issued - clock.uncertainty, gap.start, clock.launchLatency);
  const GapCause late = causeByIssue(gap.issued + clock.uncertainty, gap.start, clock.launchLatency);
  if (early != late) {
    gap.cause = GapCause::Undecided;
    gap.oneCause = early;
    gap.otherCause = late;
  }
}

}  // namespace

std::string_view nameOf(GapCause cause) {
  return kCauseNames[static_cast<std::size_t>(cause)];
}

GapCause gapCauseFromName(std::string_view name) {
  const auto found = std::find(kCauseNames.begin(), kCauseNames.end(), name);
  return found == kCauseNames.end() ? GapCause::Undecided
                                    : static_cast<GapCause>(found - kCauseNames.begin());
}

ClockBounds clockBounds(const Trace& trace, const Attribution& attribution) {
  std::vector<Ns> latencies;
  Ns leastStart = std::numeric_limits<Ns>::max(), leastDrain = std::numeric_limits<Ns>::max();
  for (std::size_t i = 0; i < attribution.iterations(); ++i) {
    const auto kernels = attribution.kernelsOf(i);
    if (kernels.empty()) continue;
    const KernelRecord& first = trace.kernels[kernels.front()];
    const LaunchRecord* launch = launchOf(trace, attribution, kernels.front());
    if (const Ns issued = issuedOf(first, launch); issued != 0) {
      latencies.push_back(first.start - issued);
      leastStart = std::min(leastStart, first.start - issued);
    }
    Ns lastEnd = first.end;
    for (const std::uint32_t k : kernels) lastEnd = std::max(lastEnd, trace.kernels[k].end);
    if (trace.iterations[i].drained != 0)
      leastDrain = std::min(leastDrain, trace.iterations[i].drained - lastEnd);
  }
  ClockBounds bounds;
  if (latencies.empty()) return bounds;
  std::nth_element(latencies.begin(), latencies.begin() + latencies.size() / 2, latencies.end());
  bounds.launchLatency = std::max<Ns>(0, latencies[latencies.size() / 2]);
  if (leastDrain == std::numeric_limits<Ns>::max()) return bounds;
  // The device's clock is ahead of the host's by some offset in [-leastStart, leastDrain]; a negative width
  // means that the clocks drifted during the pass by at least that much.
  bounds.uncertainty = std::max<Ns>(0, leastStart + leastDrain) / 2;
  bounds.known = true;
  return bounds;
}

std::vector<Gap> findGaps(const Trace& trace, const Attribution& attribution, const ClockBounds& clock) {
  const std::vector<Interval> overheads = overheadsOf(trace);
  std::vector<Gap> gaps;
  gaps.reserve(attribution.kernels.size() - std::min(attribution.kernels.size(), attribution.iterations()));
  std::vector<Interval> copies;
  for (std::size_t i = 0; i < attribution.iterations(); ++i) {
    const auto kernels = attribution.kernelsOf(i);
    if (kernels.size() < 2) continue;
    copies.clear();
    for (const std::uint32_t m : attribution.memopsOf(i))
      copies.push_back({trace.memops[m].start, trace.memops[m].end});
    if (copies.size() > 1) copies = unionOf(copies);
    std::uint32_t last = kernels.front();  // the kernel that reaches furthest so far
    for (const std::uint32_t k : kernels.subspan(1)) {
      const KernelRecord& kernel = trace.kernels[k];
      if (kernel.start > trace.kernels[last].end) {
        const LaunchRecord* launch = launchOf(trace, attribution, k);
        Gap gap;
        gap.start = trace.kernels[last].end;
        gap.end = kernel.start;
        gap.entered = launch ? launch->start : 0;
        gap.issued = issuedOf(kernel, launch);
        gap.iteration = static_cast<std::uint32_t>(i);
        gap.before = last;
        gap.after = k;
        splitParts(gap, copies, overheads);
        label(gap, trace, launch, clock);
        gaps.push_back(gap);
      }
      if (kernel.end > trace.kernels[last].end) last = k;
    }
  }
  return gaps;
}

GapTotals totalByCause(const std::vector<Gap>& gaps) {
  GapTotals totals(kGapCauses);
  std::array<std::int64_t, kGapCauses> lastIteration;
  lastIteration.fill(-1);
  for (const Gap& gap : gaps) {
    const auto cause = static_cast<std::size_t>(gap.cause);
    ++totals[cause].count;
    totals[cause].time += gap.length();
    if (lastIteration[cause] != gap.iteration) {
      ++totals[cause].iterations;
      lastIteration[cause] = gap.iteration;
    }
  }
  return totals;
}

}  // namespace opscope
