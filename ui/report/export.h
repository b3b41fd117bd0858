// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <filesystem>
#include <memory>
#include <vector>

#include "report/report_page.h"
#include "session/export.h"

namespace opscope::ui {

/// The views of a run as pictures, drawn by the window's own plots, always in light colours.
struct ExportImages {
  QImage timeline;  ///< the median iteration of the implementation that idles longest
  QImage iterations;
  QImage report;  ///< title, environment, verdicts, timelines, iterations, findings on one page
};

/// Sizes in pixels at scale 1.
inline constexpr int kTimelineWidth = 1400;
inline constexpr int kIterationsHeight = 240;

/// What the pictures of a run are drawn from; any thread. Costs as much as the records are many.
PassIndexList indexesFor(const std::shared_ptr<const Run>& run);
/// GUI thread; needs no display. Costs as much as the pixels are many.
ExportImages drawImages(const std::shared_ptr<const Run>& run, double scale, const PassIndexList& indexes);

/// Writes timeline.png, iterations.png, report.png and the CSV set; any thread. Throws CannotWrite.
std::vector<std::filesystem::path> writeExport(const std::filesystem::path& folder,
                                               const ExportImages& images, const Runs& runs);

/// `opscope-ui --export`: reads a session, draws and writes. `runNumber` counts from 1; 0 draws the last run
/// and writes the CSV of all. Prints the paths. Returns the exit code.
int exportSession(const std::filesystem::path& folder, const std::filesystem::path& session, double scale,
                  int runNumber);

}  // namespace opscope::ui
