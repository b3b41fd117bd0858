// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFileInfo>
#include <QFontDatabase>
#include <QStyleFactory>
#include <catch2/catch_test_macros.hpp>

#include "findings/findings.h"
#include "plots/drift_plot.h"
#include "plots/roofline_plot.h"
#include "plots/timeline_plot.h"
#include "state/focus.h"
#include "ui/golden_image.h"
#include "ui/synthetic_run.h"

// Views against pictures of them that a person has looked at (tests/data/golden). Style, colours, font and
// size are pinned.
//   OPSCOPE_GOLDEN=write test_ui_plots "[golden]"    keeps what is drawn now: look at it

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::differenceOf;

namespace {

constexpr const char* kFont = "DejaVu Sans";

QPalette pinnedPalette() {
  QPalette palette(QColor(0xf2, 0xf2, 0xf2));
  palette.setColor(QPalette::Base, Qt::white);
  palette.setColor(QPalette::Text, QColor(0x16, 0x16, 0x16));
  palette.setColor(QPalette::Highlight, QColor(0x00, 0x72, 0xb2));
  return palette;
}

bool hasFont() {
  return QFontDatabase::families().contains(QString::fromUtf8(kFont));
}

QImage pictureOf(QCustomPlot& plot, int width, int height) {
  QFont font(QString::fromUtf8(kFont));
  font.setPixelSize(12);
  plot.setFont(font);
  plot.setPalette(pinnedPalette());
  plot.setAttribute(Qt::WA_DontShowOnScreen);
  plot.resize(width, height);
  plot.show();
  QCoreApplication::processEvents();
  plot.replot(QCustomPlot::rpImmediateRefresh);
  return plot.toPixmap(width, height, 1).toImage().convertToFormat(QImage::Format_RGB32);
}

std::shared_ptr<Run> runToDraw() {
  auto run = uitest::syntheticRun();
  run->ceilings =
      Ceilings{"2026-01-01 00:00 UTC", Ceiling{4.1e12, {}, "triad"}, Ceiling{7.9e14, {}, "gemm"}, {}};
  run->findings = findIn(*run);
  auto pass = std::make_shared<Pass>(*run->passes[0]);
  const Ns drained = pass->trace.iterations.back().drained;
  for (int i = 0; i < 8; ++i) {
    TelemetrySample sample;
    sample.at = drained - (8 - i) * 60 * kMillisecond;
    sample.smClockMhz = 1'980 - 15 * i;
    sample.temperatureC = 40 + i;
    sample.powerMilliwatt = 130'000 + 20'000 * i;
    pass->telemetry.push_back(sample);
  }
  run->passes[0] = pass;
  return run;
}

void check(const QImage& drawn, const char* name) {
  const QString file = uitest::goldenFile(QString::fromUtf8(name));
  if (qEnvironmentVariable("OPSCOPE_GOLDEN") == QStringLiteral("write")) {
    REQUIRE(QDir().mkpath(QFileInfo(file).path()));
    REQUIRE(drawn.save(file));
    return;
  }
  const QImage kept = uitest::goldenImage(QString::fromUtf8(name));
  REQUIRE_FALSE(kept.isNull());
  const auto difference = differenceOf(drawn, kept);
  if (!difference.isSame()) {
    const QString seen = QDir::temp().filePath(QStringLiteral("opscope-%1.png").arg(QString::fromUtf8(name)));
    drawn.save(seen);
    WARN("what was drawn instead of " << file.toStdString() << " is in " << seen.toStdString());
  }
  CAPTURE(name, difference.mean, difference.apart);
  CHECK(difference.isSame());
}

}  // namespace

TEST_CASE("timeline, roofline and drift are drawn as they were looked at", "[golden]") {
  if (!hasFont()) SKIP("the font DejaVu Sans, with which the kept pictures are drawn, is not installed");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  const std::shared_ptr<const Run> run = runToDraw();
  Selection selection;
  SessionModel session;
  session.add(run);
  selection.select(openingSelection(run));
  {
    TimelinePlot timeline(selection);
    check(pictureOf(timeline, 900, 300), "timeline");
  }
  {
    RooflinePlot roofline(session, selection);
    check(pictureOf(roofline, 640, 340), "roofline");
  }
  {
    DriftPlot drift(selection);
    check(pictureOf(drift, 720, 460), "drift");
  }
}

TEST_CASE("a view that shows something else is not the kept picture", "[golden]") {
  if (!hasFont()) SKIP("the font DejaVu Sans, with which the kept pictures are drawn, is not installed");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  auto run = runToDraw();
  run->ceilings->memory->perSecond = 3.2e12;  // the roof stands a fifth lower
  Selection selection;
  SessionModel session;
  session.add(run);
  selection.select(medianSelection(run, 0));
  RooflinePlot roofline(session, selection);
  const QImage kept = uitest::goldenImage(QStringLiteral("roofline"));
  REQUIRE_FALSE(kept.isNull());
  const auto difference = differenceOf(pictureOf(roofline, 640, 340), kept);
  CAPTURE(difference.mean, difference.apart);
  CHECK_FALSE(difference.isSame());
  TimelinePlot timeline(selection);  // the other implementation, another kernel
  CHECK_FALSE(
      differenceOf(pictureOf(timeline, 900, 300), uitest::goldenImage(QStringLiteral("timeline"))).isSame());
}

TEST_CASE("pictures are compared by what can be seen of them") {
  QImage white(64, 64, QImage::Format_RGB32);
  white.fill(Qt::white);
  CHECK(differenceOf(white, white).isSame());
  CHECK_FALSE(differenceOf(white, QImage()).isSame());
  CHECK_FALSE(differenceOf(white, QImage(64, 60, QImage::Format_RGB32)).isSame());
  QImage speck = white;
  speck.setPixelColor(10, 10, QColor(200, 200, 200));  // a letter's edge
  CHECK(differenceOf(white, speck).isSame());
  QImage block = white;
  for (int y = 8; y < 24; ++y)
    for (int x = 8; x < 24; ++x) block.setPixelColor(x, y, Qt::black);
  const auto difference = differenceOf(white, block);
  CHECK_FALSE(difference.isSame());
  CHECK(difference.apart > 0.06);  // a sixteenth
  CHECK(difference.apart < 0.15);
}
