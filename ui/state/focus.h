// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "state/selection.h"

namespace opscope::ui {

/// Where a run opens: the median iteration of the implementation that idles longest, its largest gap
/// selected; without any number the first iteration that was recorded.
Selected openingSelection(const std::shared_ptr<const Run>& run);

/// The median iteration of one implementation, its largest gap selected; the first recorded one after a
/// failure. Without any pass only the run is selected.
Selected medianSelection(const std::shared_ptr<const Run>& run, std::uint32_t implementation);

}  // namespace opscope::ui
