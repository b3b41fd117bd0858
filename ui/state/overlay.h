// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "session/run.h"
#include "state/lane_layout.h"

namespace opscope::ui {

/// All iterations of one implementation over each other, each from the start of its first kernel: what
/// jitters is blurred, what stands still is sharp.
struct OverlayBlurs {
  using Key = std::tuple<LaneKind, std::uint32_t, std::uint32_t>;  ///< kind, stream or thread, sub-lane
  std::map<Key, std::vector<Blur>> lanes;
  Interval extent;
  std::size_t iterations = 0;
};

/// Of all passes of an implementation. Pure; costs as much as the records are many.
OverlayBlurs overlay(const Run& run, std::uint32_t implementation, bool withNumbers);

/// Puts the blurs behind the lanes of one iteration; lanes that only others have are added empty.
IterationLanes withBlurs(IterationLanes shown, const OverlayBlurs& blurs);

}  // namespace opscope::ui
