// SPDX-License-Identifier: Apache-2.0
#include "trace/gaps.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/large_vector.h"
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
  if (copies.empty() && overheads.empty()) {  // nearly always, and there can be a million gaps
    gap.host = waiting.length();
    gap.device = gap.end - issued;
    return;
  }
  const Ns copyWhileWaiting = covered(copies, waiting);
  gap.copy = covered(copies, {gap.start, gap.end});
  const Ns hostAndInstrument = waiting.length() - copyWhileWaiting;
  gap.instrument = std::min(hostAndInstrument, instrumentIn(overheads, copies, waiting));
  gap.host = hostAndInstrument - gap.instrument;
  gap.device = gap.length() - gap.copy - hostAndInstrument;
}

// A kernel that was issued before the device went idle. Both instants and the launch latency carry the same
// offset between the clocks, so it cancels.
GapCause causeOfEarlyIssue(Ns issued, Ns idleFrom, Ns launchLatency) {
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
  const GapCause early = causeOfEarlyIssue(gap.issued, gap.start, clock.launchLatency);
  if (gap.issued + clock.offsetLow > gap.start) {
    gap.cause = GapCause::HostLate;
  } else if (gap.issued + clock.offsetHigh <= gap.start) {
    gap.cause = early;
  } else {
    gap.cause = GapCause::Undecided;
    gap.oneCause = GapCause::HostLate;
    gap.otherCause = early;
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

namespace {

// The interval in which the offset of the clocks can lie, narrowed by one observation after the other.
struct OffsetInterval {
  std::optional<Ns> low, high;
  void atLeast(Ns offset) { low = low ? std::max(*low, offset) : offset; }
  void atMost(Ns offset) { high = high ? std::min(*high, offset) : offset; }
};

void narrowByPings(const Trace& trace, const Attribution& attribution, OffsetInterval& offset) {
  if (attribution.pings.empty()) return;
  const ExternalIds ids(trace.externalIds);
  for (const std::uint32_t k : attribution.pings) {
    const KernelRecord& kernel = trace.kernels[k];
    const PingMark& ping = trace.pings[ids[kernel.correlationId] - kPingId];
    offset.atLeast(kernel.start - ping.seenRunning);
    offset.atMost(kernel.end - ping.released);
  }
}

}  // namespace

ClockBounds clockBounds(const Trace& trace, const Attribution& attribution, std::span<const Sample> samples) {
  std::vector<Ns> latencies;
  OffsetInterval offset;
  for (std::size_t i = 0; i < attribution.iterations(); ++i) {
    const auto kernels = attribution.kernelsOf(i);
    if (kernels.empty()) continue;
    const KernelRecord& first = trace.kernels[kernels.front()];
    if (const Ns issued = issuedOf(first, launchOf(trace, attribution, kernels.front())); issued != 0) {
      latencies.push_back(first.start - issued);
      offset.atMost(first.start - issued);
    }
    const Ns lastEnd = first.start + samples[i].latency;
    if (trace.iterations[i].drained != 0) offset.atLeast(lastEnd - trace.iterations[i].drained);
  }
  narrowByPings(trace, attribution, offset);
  ClockBounds bounds;
  if (!latencies.empty()) {
    const auto middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
    std::nth_element(latencies.begin(), middle, latencies.end());
    bounds.launchLatency = std::max<Ns>(0, *middle);
  }
  if (trace.oneClock) {
    bounds.known = true;
  } else if (offset.low && offset.high) {
    // Where the bounds contradict each other the clocks drifted against each other during the pass.
    bounds.offsetLow = std::min(*offset.low, *offset.high);
    bounds.offsetHigh = std::max(*offset.low, *offset.high);
    bounds.known = true;
  }
  return bounds;
}

std::vector<Gap> findGaps(const Trace& trace, const Attribution& attribution, const ClockBounds& clock) {
  const std::vector<Interval> overheads = overheadsOf(trace);
  std::vector<Gap> gaps;
  reserveLarge(gaps,
               attribution.kernels.size() - std::min(attribution.kernels.size(), attribution.iterations()));
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
