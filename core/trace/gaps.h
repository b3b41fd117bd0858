// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/attribution.h"
#include "trace/measure.h"

namespace opscope {

/// What the records allow to be said of a gap's cause, in the order in which it is decided. "Queued" says
/// that the next kernel had been issued in time; it does not say what it waited for.
enum class GapCause : std::uint8_t {
  ClockSuspect,    ///< the kernel started before its launch was entered: the clocks disagree
  NoLaunchRecord,  ///< nobody recorded who launched the kernel
  InGraph,         ///< both kernels come from one graph launch
  Copy,            ///< a copy or fill ran for most of the gap
  Instrument,      ///< the instrument itself held the host for most of the gap
  HostLate,        ///< the next kernel was issued after the device went idle
  LatencyExposed,  ///< issued before the device went idle, but too late to hide the launch latency
  Queued,          ///< issued long before the device went idle
  Undecided,       ///< the clock uncertainty straddles a boundary
};
inline constexpr int kGapCauses = 9;

/// "host-late" and so on: the word in tables, files and beside every colour.
std::string_view nameOf(GapCause cause);
GapCause gapCauseFromName(std::string_view name);

/// A hole in the union of an iteration's kernels, over all streams: [start, end) in ns on the trace's clock.
struct Gap {
  Ns start = 0;
  Ns end = 0;
  // The parts add up to end - start exactly.
  Ns copy = 0;        ///< a copy or fill was running
  Ns host = 0;        ///< the next kernel had not been issued (without the instrument's share)
  Ns instrument = 0;  ///< the same, while the instrument held the host
  Ns device = 0;      ///< the next kernel had been issued; the device had not started it
  Ns entered = 0;     ///< start of the next kernel's launch call; 0 when unknown
  Ns issued = 0;      ///< when the next kernel was issued; 0 when unknown
  std::uint32_t iteration = 0;
  std::uint32_t before = 0;  ///< into Trace::kernels: the kernel whose end opened the gap
  std::uint32_t after = 0;   ///< into Trace::kernels: the kernel that ended it
  GapCause cause = GapCause::Undecided;
  GapCause otherCause =
      GapCause::Undecided;  ///< Undecided only: the second of the two sides; `cause` stays Undecided
  GapCause oneCause = GapCause::Undecided;  ///< Undecided only: the first of the two sides
  Ns length() const { return end - start; }
};

/// What causality over a whole pass says of the two clocks. The offset is what a device's stamp shows more
/// than a host's stamp of the same instant.
struct ClockBounds {
  Ns launchLatency = 0;  ///< median of start - issued of the iterations' first kernels, on an idle device
  Ns offsetLow = 0;      ///< the offset is at least this
  Ns offsetHigh = 0;     ///< and at most this
  bool known = false;    ///< false when the records allow no bound; the offset is then taken as 0
  Ns uncertainty() const { return (offsetHigh - offsetLow) / 2; }
};

/// Bounds from the records: nothing starts before it was issued, no wait returns before the last kernel
/// ended, and the pings, which are tighter. `samples`: what measure() gives for the same attribution.
ClockBounds clockBounds(const Trace& trace, const Attribution& attribution, std::span<const Sample> samples);

/// Every gap of every iteration, ordered by iteration and start, each with parts and cause.
std::vector<Gap> findGaps(const Trace& trace, const Attribution& attribution, const ClockBounds& clock);

/// Gaps added up by cause.
struct GapTotal {
  std::uint64_t count = 0;
  Ns time = 0;
  std::uint32_t iterations = 0;  ///< in how many iterations at least one such gap occurred
};
using GapTotals = std::vector<GapTotal>;  ///< indexed by GapCause, always kGapCauses long
GapTotals totalByCause(const std::vector<Gap>& gaps);

}  // namespace opscope
