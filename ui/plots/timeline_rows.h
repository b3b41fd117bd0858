// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "plots/interval_plottable.h"
#include "plots/theme.h"
#include "state/kernel_filter.h"
#include "state/lane_layout.h"

namespace opscope::ui {

/// What the look of lanes depends on beside the lanes.
struct RowStyle {
  PlotTheme theme;
  double lineHeight = 16;
  std::uint32_t implementation = 0;
  KernelFilter filter;
};

struct TimelineRows {
  std::vector<BarRow> rows;  ///< one per lane
  std::vector<BarLook> looks;
};

/// Lanes as they are drawn. Any thread; costs as much as the items are many.
TimelineRows rowsOf(const IterationLanes& lanes, const Pass& pass, const RowStyle& style);

}  // namespace opscope::ui
