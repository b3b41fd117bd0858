// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "report/report_page.h"
#include "session/export.h"

namespace opscope::ui {

/// Sizes in pixels at scale 1.
inline constexpr int kTimelineWidth = 1400;
inline constexpr int kIterationsHeight = 240;
inline constexpr int kPlotHeight = 420;

/// A view of a run that has something to show, drawn by the window's own plots, always in light colours.
struct ExportView {
  std::string file;              ///< "timeline.png"
  std::function<QImage()> draw;  ///< GUI thread; needs no display. Costs as much as the pixels are many.
};

/// timeline.png (the median iteration of the implementation that idles longest) and iterations.png; where the
/// run has numbers distribution.png, drift.png and roofline.png, methods.png where other methods were asked
/// for, sweep.png where `runs` differ from it in one dimension, and history.png where others of them measured
/// the same; report.png, one page with all of them, last. GUI thread.
std::vector<ExportView> viewsOf(const std::shared_ptr<const Run>& run, const RunList& runs, double scale,
                                const PassIndexList& indexes);

struct ExportPicture {
  std::string file;
  QImage image;
};

/// What the pictures of a run are drawn from; any thread. Costs as much as the records are many.
PassIndexList indexesFor(const std::shared_ptr<const Run>& run);

/// Writes the pictures, the CSV set, summary.md and report.html; any thread. Throws CannotWrite.
std::vector<std::filesystem::path> writeExport(const std::filesystem::path& folder,
                                               const std::vector<ExportPicture>& pictures, const Runs& runs);

/// `opscope-ui --export`: reads a session, draws and writes. `runNumber` counts from 1; 0 draws the last run
/// and writes the CSV of all. Prints the paths. Returns the exit code.
int exportSession(const std::filesystem::path& folder, const std::filesystem::path& session, double scale,
                  int runNumber);

}  // namespace opscope::ui
