// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <memory>
#include <vector>

#include "state/selection.h"

namespace opscope::ui {

/// The plots as pictures, in light colours whatever the system's are. GUI thread; needs no display.
/// `indexes` are the indexes of passes that were made elsewhere; what is missing is made here.
using PassIndexList = std::vector<std::shared_ptr<const PassIndex>>;
QImage drawTimeline(const Selected& selected, int width, double scale, const PassIndexList& indexes);
QImage drawIterations(const Selected& selected, int width, int height, double scale);

/// One page that can be read without the program: title, environment, verdicts, timelines, iterations,
/// findings.
QImage drawReport(const std::shared_ptr<const Run>& run, double scale, const PassIndexList& indexes);

}  // namespace opscope::ui
