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

/// Of the whole run; `runs` are those that may stand beside it in a roofline, a sweep or a history, itself
/// among them.
using RunList = std::vector<std::shared_ptr<const Run>>;
QImage drawDistribution(const std::shared_ptr<const Run>& run, int width, int height, double scale);
QImage drawDrift(const std::shared_ptr<const Run>& run, int width, int height, double scale);
QImage drawRoofline(const std::shared_ptr<const Run>& run, const RunList& runs, int width, int height,
                    double scale);
QImage drawSweep(const std::shared_ptr<const Run>& run, const RunList& runs, int width, int height,
                 double scale);
QImage drawHistory(const std::shared_ptr<const Run>& run, const RunList& runs, int width, int height,
                   double scale);
/// A table; a null image where the run was timed by its records alone.
QImage drawMethods(const std::shared_ptr<const Run>& run, int width, double scale);

// Which of them have something to show.
bool hasNumbers(const Run& run);
bool hasRoofline(const Run& run);
bool hasSweep(const std::shared_ptr<const Run>& run, const RunList& runs);
bool hasHistory(const std::shared_ptr<const Run>& run, const RunList& runs);

/// One page that can be read without the program: title, environment, verdicts, timelines, iterations, drift,
/// methods, roofline, sweep, history, findings.
QImage drawReport(const std::shared_ptr<const Run>& run, const RunList& runs, double scale,
                  const PassIndexList& indexes);

}  // namespace opscope::ui
