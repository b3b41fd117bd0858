// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "state/coverage.h"
#include "trace/attribution.h"
#include "trace/intervals.h"
#include "trace/pass.h"

namespace opscope::ui {

enum class LaneKind : std::uint8_t {
  Ranges,   ///< what the op marked of itself (NVTX); items index Trace::ranges
  Host,     ///< launch calls; items index Trace::launches
  Busy,     ///< the union of the kernels: the number
  Gaps,     ///< items index Pass::gaps
  Stream,   ///< items index Trace::kernels
  Stray,    ///< kernels that no iteration launched, seen while this one ran; items index Trace::kernels
  Copies,   ///< items index Trace::memops
  Marks,    ///< iterations of a whole pass, from call to drain; items index Trace::iterations
  Prepare,  ///< kernels between two calls, as those that clear L2; items index Trace::kernels
};

/// What a timeline shows.
enum class TimelineMode : std::uint8_t {
  Iteration,  ///< one iteration
  Overlay,    ///< one iteration over all others of its implementation, from each one's first kernel
  Pass,       ///< every iteration of one pass as it ran
};

/// [start, end) in ns from the iteration's origin.
struct LaneItem {
  Ns start = 0;
  Ns end = 0;
  std::uint32_t index = 0;
  bool operator==(const LaneItem&) const = default;
};

/// Where all iterations had the same thing in a lane, behind the one that is shown.
struct Blur {
  std::string name;  ///< of the kernel; empty elsewhere
  GapCause cause = GapCause::Undecided;
  Coverage coverage;
};

/// One row of a timeline: its items do not overlap and stand in order. Overlapping work of one stream goes
/// into further rows (sub-lanes) of the same stream, so that everything stays visible.
struct Lane {
  LaneKind kind = LaneKind::Busy;
  std::uint32_t id = 0;       ///< stream or thread
  std::uint32_t subLane = 0;  ///< 0 is the first row of its stream
  std::vector<LaneItem> items;
  std::vector<Blur> blurs;  ///< overlay only
};

/// The lanes of whatever a timeline shows.
struct IterationLanes {
  Ns origin = 0;       ///< start of the first kernel shown, on the trace's clock: 0 of the ruler
  Interval extent;     ///< everything shown, from the origin
  Interval opening;    ///< what to show first: less than the extent where few iterations stand out
  std::size_t of = 0;  ///< overlay only: how many iterations are behind
  std::vector<Lane> lanes;
};

/// What laying out an iteration needs of a whole pass, made once per pass.
class PassIndex {
 public:
  explicit PassIndex(std::shared_ptr<const Pass> pass);
  const Pass& pass() const { return *pass_; }
  const Attribution& attribution() const { return attribution_; }
  const ExternalIds& externalIds() const { return externalIds_; }
  /// Launches in the order of their ids' iterations: those of iteration i.
  std::span<const std::uint32_t> launchesOf(std::uint32_t iteration) const;
  /// Ranges that the host was in while this iteration was issued or drained, outer ones first.
  std::vector<std::uint32_t> rangesOf(std::uint32_t iteration) const;
  /// Kernels without an iteration.
  const std::vector<std::uint32_t>& strays() const { return strays_; }
  /// Kernels between two calls.
  const std::vector<std::uint32_t>& prepares() const { return prepares_; }
  /// The start of the iteration's first kernel (else of its first copy, else its call): 0 of its ruler.
  Ns originOf(std::uint32_t iteration) const;
  /// The iteration of a kernel, launch or memop by its correlation id; -1 for none.
  std::int32_t iterationOf(std::uint32_t correlationId) const;
  std::optional<std::uint32_t> launchOfKernel(std::uint32_t kernel) const;
  /// A graph launch has many kernels: the one that starts first.
  std::optional<std::uint32_t> firstKernelOfLaunch(std::uint32_t launch) const;
  /// The union of the kernels of all iterations, on the trace's clock.
  const std::vector<Interval>& busy() const { return busy_; }

 private:
  void indexRanges();

  std::shared_ptr<const Pass> pass_;
  Attribution attribution_;
  ExternalIds externalIds_;
  std::vector<std::uint32_t> launches_;
  std::vector<std::uint32_t> launchesFrom_;
  std::vector<std::uint32_t> ranges_;      // those inside one iteration, in its order
  std::vector<std::uint32_t> rangesFrom_;  // by iteration
  std::vector<std::uint32_t> longRanges_;  // those that reach into another one
  std::vector<std::uint32_t> strays_;
  std::vector<std::uint32_t> prepares_;
  std::vector<std::uint32_t> firstKernels_;  // by launch
  std::vector<Interval> busy_;
};

/// Lanes of one iteration, top to bottom: ranges, host, BUSY, gaps, streams, strays, copies. `withNumbers` is
/// false for an implementation that failed: what was recorded is shown, BUSY and gaps are not. Pure.
IterationLanes layOut(const PassIndex& index, std::uint32_t iteration, bool withNumbers);

/// Every iteration of a pass on one time axis, with what ran between them. Pure.
IterationLanes layOutPass(const PassIndex& index, bool withNumbers);

}  // namespace opscope::ui
