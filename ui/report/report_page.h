// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <memory>

#include "state/selection.h"

namespace opscope::ui {

/// The plots as pictures, in light colours whatever the system's are. GUI thread; needs no display.
QImage drawTimeline(const Selected& selected, int width, double scale);
QImage drawIterations(const Selected& selected, int width, int height, double scale);

/// One page that can be read without the program: title, environment, verdicts, timelines, iterations,
/// findings.
QImage drawReport(const std::shared_ptr<const Run>& run, double scale);

}  // namespace opscope::ui
