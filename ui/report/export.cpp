// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/export.h"

#include <QImageWriter>
#include <cstdio>

#include "session/html.h"
#include "session/store.h"
#include "state/focus.h"
#include "state/methods.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

void writePng(const std::filesystem::path& file, const QImage& image) {
  QImageWriter writer(text(file.string()), "png");
  if (!writer.write(image)) {
    throw CannotWrite(
        "The picture " + file.string() + " could not be written: " + writer.errorString().toStdString(),
        "Choose a folder that can be written to.");
  }
}

}  // namespace

PassIndexList indexesFor(const std::shared_ptr<const Run>& run) {
  PassIndexList indexes;
  for (std::uint32_t i = 0; i < run->implementations.size(); ++i) {
    const Selected median = medianSelection(run, i);
    if (!median.passOrNull()) continue;
    indexes.push_back(std::make_shared<const PassIndex>(run->passes[static_cast<std::size_t>(median.pass)]));
  }
  return indexes;
}

std::vector<ExportView> viewsOf(const std::shared_ptr<const Run>& run, const RunList& runs, double scale,
                                const PassIndexList& indexes) {
  std::vector<ExportView> views;
  const auto add = [&views](const char* file, auto draw) { views.push_back({file, std::move(draw)}); };
  add("timeline.png", [=] { return drawTimeline(openingSelection(run), kTimelineWidth, scale, indexes); });
  add("iterations.png",
      [=] { return drawIterations(openingSelection(run), kTimelineWidth, kIterationsHeight, scale); });
  if (hasNumbers(*run)) {
    add("distribution.png", [=] { return drawDistribution(run, kTimelineWidth, kPlotHeight, scale); });
    add("drift.png", [=] { return drawDrift(run, kTimelineWidth, kPlotHeight, scale); });
  }
  if (hasRoofline(*run))
    add("roofline.png", [=] { return drawRoofline(run, runs, kTimelineWidth, kPlotHeight, scale); });
  if (!methodsOf(*run).empty()) add("methods.png", [=] { return drawMethods(run, kTimelineWidth, scale); });
  if (hasSweep(run, runs))
    add("sweep.png", [=] { return drawSweep(run, runs, kTimelineWidth, kPlotHeight, scale); });
  if (hasHistory(run, runs))
    add("history.png", [=] { return drawHistory(run, runs, kTimelineWidth, kPlotHeight, scale); });
  add("report.png", [=] { return drawReport(run, runs, scale, indexes); });
  return views;
}

std::vector<std::filesystem::path> writeExport(const std::filesystem::path& folder,
                                               const std::vector<ExportPicture>& pictures, const Runs& runs) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw CannotWrite("The folder " + folder.string() + " could not be made: " + failed.message(),
                      "Choose a folder that can be written to.");
  }
  // The numbers first: a picture can be drawn again from them.
  std::vector<std::filesystem::path> files = writeCsvSet(folder, runs);
  writeTextFile(folder / "summary.md", runsMarkdown(runs));
  files.push_back(folder / "summary.md");
  writeTextFile(folder / "report.html", runsHtml(runs));
  files.push_back(folder / "report.html");
  for (const auto& [name, image] : pictures) {
    writePng(folder / name, image);
    files.push_back(folder / name);
  }
  return files;
}

int exportSession(const std::filesystem::path& folder, const std::filesystem::path& session, double scale,
                  int runNumber) {
  try {
    const Session opened = readSession(session);
    if (opened.runs.empty())
      throw BadInput(session.string() + " holds no run.", "Measure one and save it there.");
    if (runNumber > static_cast<int>(opened.runs.size())) {
      throw BadInput("There is no run " + std::to_string(runNumber) + " in " + session.string() +
                         ": it holds " + std::to_string(opened.runs.size()) + ".",
                     "Runs are counted from 1.");
    }
    const auto run =
        runNumber > 0 ? opened.runs[static_cast<std::size_t>(runNumber) - 1] : opened.runs.back();
    const Runs written = runNumber > 0 ? Runs{run} : Runs(opened.runs);
    std::vector<ExportPicture> pictures;
    for (const ExportView& view : viewsOf(run, opened.runs, scale, indexesFor(run)))
      pictures.push_back({view.file, view.draw()});
    for (const auto& file : writeExport(folder, pictures, written)) std::puts(file.string().c_str());
    return 0;
  } catch (...) {
    const ErrorInfo error = currentErrorInfo();
    std::fprintf(stderr, "opscope-ui: %s\n", describe(error).c_str());
    return exitCodeOf(error.code);
  }
}

}  // namespace opscope::ui
