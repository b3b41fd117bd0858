// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "state/lane_layout.h"
#include "state/selection.h"
#include "trace/occupancy.h"

namespace opscope::ui {

/// One line of the inspector. An empty value makes the label a heading; an empty label makes the value a
/// paragraph.
struct InspectionRow {
  QString label;
  QString value;
  bool isName = false;  ///< a kernel's, of any length
};

/// Everything that is known of what is selected, exact to the ns, from the particular to the general. Pure.
/// `records` is the index of the selected pass; without one it is made here.
std::vector<InspectionRow> inspect(const Selected& selected, std::shared_ptr<const PassIndex> records = {});

/// What ran out first: "registers".
QString occupancyLimitText(OccupancyLimit limit);
/// "6 x 128 x 1" of a grid or block.
QString extentText(std::uint32_t x, std::uint32_t y, std::uint32_t z);
/// The sentence that says why a gap has its label, with the instants it rests on.
QString gapSentence(const Pass& pass, const Gap& gap);
/// What an op called a stretch of itself; words in brackets where it has no name.
QString rangeName(const Trace& trace, const RangeRecord& range);
/// What of it was not recorded, or lies in another iteration; empty when there is nothing to say.
QString rangeSentence(const Trace& trace, const RangeRecord& range);

}  // namespace opscope::ui
