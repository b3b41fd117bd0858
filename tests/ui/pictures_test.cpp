// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDockWidget>
#include <QImageWriter>
#include <QLabel>
#include <QSettings>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "panels/compare_panel.h"
#include "panels/drift_panel.h"
#include "panels/pickers_bar.h"
#include "panels/timeline_bar.h"
#include "plots/distribution_plot.h"
#include "plots/drift_plot.h"
#include "plots/timeline_plot.h"
#include "session/store.h"
#include "state/focus.h"
#include "ui/dark_palette.h"
#include "ui/fake_engine.h"
#include "ui/synthetic_run.h"
#include "ui/wait_for.h"
#include "ui/window_bench.h"
#include "window/main_window.h"

// The pictures of the documentation, drawn from a recorded session (docs/user-guide.md says how):
//   QT_QPA_PLATFORM=offscreen OPSCOPE_PICTURES=docs/images OPSCOPE_PICTURES_SESSION=FILE
//     test_ui_window "[pictures]"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::raiseDock;
using opscope::uitest::settleFor;

namespace {

/// The real catalogue, with the device that the session was recorded on.
class PictureEngine : public uitest::FakeEngine {
 public:
  explicit PictureEngine(const Run& run) {
    device_.id = run.deviceId;
    device_.kind = "cuda";
    device_.name = run.deviceName;
    device_.figures = FigureKind::Gpu;
    device_.method = run.method;
  }
  CatalogueInfo catalogue() override { return makeLocalEngine()->catalogue(); }
  std::vector<DeviceInfo> devices() override { return {device_}; }

 private:
  DeviceInfo device_;
};

void keep(QWidget& widget, const QString& name) {
  settleFor();
  const QString file =
      qEnvironmentVariable("OPSCOPE_PICTURES") + QLatin1Char('/') + name + QStringLiteral(".png");
  QImageWriter writer(file, "png");
  writer.setCompression(100);
  INFO(file.toStdString());
  REQUIRE(writer.write(widget.grab().toImage().convertToFormat(QImage::Format_RGB32)));
}

}  // namespace

TEST_CASE("pictures of the documentation", "[.pictures]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_PICTURES") ||
      !qEnvironmentVariableIsSet("OPSCOPE_PICTURES_SESSION"))
    SKIP("OPSCOPE_PICTURES and OPSCOPE_PICTURES_SESSION name no folder and no session");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  Session session = readSession(qEnvironmentVariable("OPSCOPE_PICTURES_SESSION").toStdString());
  std::shared_ptr<const Run> shown;
  for (auto& run : session.runs) run = uitest::ofNoMachine(*run);
  for (const auto& run : session.runs) {
    if (!shown && run->op == "rms_norm" && run->implementations.size() > 1) shown = run;
  }
  REQUIRE(shown);
  const QPalette light = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    const QString suffix = dark ? QStringLiteral("-dark") : QString();
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    MainWindow window(std::make_shared<PictureEngine>(*shown), settings);
    window.resize(1'440, 900);
    window.show();
    settleFor();
    window.pickers().pickOp(QString::fromStdString(shown->op));
    window.pickers().pickWorkload(QString::fromStdString(shown->workload));
    window.pickers().pickDtype(QString::fromStdString(shown->dtype));
    window.session().addOpened(session.file, true, session.runs);
    window.selection().select(openingSelection(shown));
    keep(window, QStringLiteral("workbench") + suffix);
    if (dark) break;  // one is enough to see what dark is like; "[look]" draws all

    QWidget& timeline = *window.timelineBar().parentWidget();
    window.timeline().setMode(TimelineMode::Overlay);
    keep(timeline, QStringLiteral("overlay"));
    window.timeline().setMode(TimelineMode::Pass);
    keep(timeline, QStringLiteral("pass"));
    window.timeline().setMode(TimelineMode::Iteration);
    KernelFilter filter;
    filter.setPattern(QStringLiteral("mean|square"));
    window.timeline().setFilter(filter);
    keep(timeline, QStringLiteral("search"));
    window.timeline().setFilter({});

    DriftPanel drift(window.selection());
    drift.resize(1'100, 480);
    drift.show();
    keep(drift, QStringLiteral("drift"));
    drift.hide();
    DistributionPlot distribution(window.selection());
    distribution.resize(1'100, 320);
    distribution.show();
    keep(distribution, QStringLiteral("distribution"));
    distribution.hide();
    window.session().pin({shown, 0});
    ComparePanel compare(window.session(), window.selection());
    compare.resize(1'575, 150);
    compare.show();
    keep(compare, QStringLiteral("compare"));
    compare.hide();

    const std::shared_ptr<const Run> failed = uitest::failingRun(ErrorCode::OffThreadLaunch);
    window.session().add(failed);
    raiseDock(window, "findings");
    window.selection().select(medianSelection(failed, 1));
    keep(window, QStringLiteral("failure"));
  }
  QApplication::setPalette(light);
}
