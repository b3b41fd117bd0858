// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/attribution.h"
#include "trace/intervals.h"
#include "trace/pass.h"

namespace opscope::ui {

enum class LaneKind : std::uint8_t {
  Host,    ///< launch calls; items index Trace::launches
  Busy,    ///< the union of the kernels: the number
  Gaps,    ///< items index Pass::gaps
  Stream,  ///< items index Trace::kernels
  Stray,   ///< kernels that no iteration launched, seen while this one ran; items index Trace::kernels
  Copies,  ///< items index Trace::memops
};

/// [start, end) in ns from the iteration's origin.
struct LaneItem {
  Ns start = 0;
  Ns end = 0;
  std::uint32_t index = 0;
  bool operator==(const LaneItem&) const = default;
};

/// One row of a timeline: its items do not overlap and stand in order. Overlapping work of one stream goes
/// into further rows (sub-lanes) of the same stream, so that everything stays visible.
struct Lane {
  LaneKind kind = LaneKind::Busy;
  std::uint32_t id = 0;       ///< stream or thread
  std::uint32_t subLane = 0;  ///< 0 is the first row of its stream
  std::vector<LaneItem> items;
};

struct IterationLanes {
  Ns origin = 0;    ///< start of the iteration's first kernel, on the trace's clock: 0 of the ruler
  Interval extent;  ///< everything shown, from the origin
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
  /// Kernels without an iteration.
  const std::vector<std::uint32_t>& strays() const { return strays_; }

 private:
  std::shared_ptr<const Pass> pass_;
  Attribution attribution_;
  ExternalIds externalIds_;
  std::vector<std::uint32_t> launches_;
  std::vector<std::uint32_t> launchesFrom_;
  std::vector<std::uint32_t> strays_;
};

/// Lanes of one iteration, top to bottom: host, BUSY, gaps, streams, strays, copies. `withNumbers` is false
/// for an implementation that failed: what was recorded is shown, BUSY and gaps are not. Pure.
IterationLanes layOut(const PassIndex& index, std::uint32_t iteration, bool withNumbers);

}  // namespace opscope::ui
