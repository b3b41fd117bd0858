// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "report/export.h"
#include "session/store.h"
#include "ui/synthetic_run.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

struct Exit {
  int code = -1;
  QString out;
  QString err;
};

/// The program itself, without a display, as in a script on a server.
Exit runProgram(const QStringList& arguments) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
    environment.remove(QString::fromUtf8(name));
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral(OPSCOPE_UI_PROGRAM), arguments);
  REQUIRE(process.waitForFinished(60'000));
  REQUIRE(process.exitStatus() == QProcess::NormalExit);
  return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

/// How many different colours a picture has, as a measure of whether anything was drawn.
qsizetype colours(const QImage& image) {
  QSet<QRgb> seen;
  for (int y = 0; y < image.height(); y += 2) {
    for (int x = 0; x < image.width(); x += 2) seen.insert(image.pixel(x, y));
  }
  return seen.size();
}

}  // namespace

TEST_CASE("a session is exported without a display") {
  QTemporaryDir folder;
  const QString session = folder.filePath(QStringLiteral("s.opscope"));
  writeSession(session.toStdString(),
               {uitest::syntheticRun(), uitest::failingRun(ErrorCode::OffThreadLaunch)});
  const QString to = folder.filePath(QStringLiteral("out/deep"));
  const Exit exit = runProgram({QStringLiteral("--export"), to, session, QStringLiteral("--run"),
                                QStringLiteral("1"), QStringLiteral("--scale"), QStringLiteral("2")});
  INFO(exit.err.toStdString());
  REQUIRE(exit.code == 0);
  for (const char* name :
       {"timeline.png", "iterations.png", "distribution.png", "drift.png", "roofline.png", "report.png",
        "report.html", "samples.csv", "kernels.csv", "gaps.csv", "summary.csv", "summary.md"}) {
    INFO(name);
    CHECK(std::filesystem::file_size((to + QLatin1Char('/') + QString::fromUtf8(name)).toStdString()) > 0);
    CHECK(exit.out.contains(QString::fromUtf8(name)));
  }
  const QImage timeline(to + QStringLiteral("/timeline.png"));
  CHECK(timeline.width() == 2 * kTimelineWidth);
  CHECK(colours(timeline) > 20);
  const QImage iterations(to + QStringLiteral("/iterations.png"));
  CHECK(iterations.size() == QSize(2 * kTimelineWidth, 2 * kIterationsHeight));
  CHECK(colours(iterations) > 5);
  CHECK(QImage(to + QStringLiteral("/report.png")).height() > 1'000);
  for (const char* name : {"distribution.png", "drift.png", "roofline.png"}) {
    INFO(name);
    const QImage plot(to + QLatin1Char('/') + QString::fromUtf8(name));
    CHECK(plot.size() == QSize(2 * kTimelineWidth, 2 * kPlotHeight));
    CHECK(colours(plot) > 5);
  }
  QFile page(to + QStringLiteral("/report.html"));
  REQUIRE(page.open(QIODevice::ReadOnly));
  CHECK(page.readAll().contains("rms_norm"));
  // The other run is of the same work, and one of its implementations has a number.
  CHECK(exit.out.contains(QStringLiteral("history.png")));
  // Neither a sweep nor other methods are in this session: no empty pictures.
  CHECK_FALSE(exit.out.contains(QStringLiteral("sweep.png")));
  CHECK_FALSE(exit.out.contains(QStringLiteral("methods.png")));
}

TEST_CASE("methods, a sweep and a history are drawn where a session has them") {
  auto run = uitest::syntheticRun();
  run->implementations[0].methods = {
      {"event pair", "clean", "kernels and both events", 1, run->implementations[0].busy, {}},
      {"graph replay",
       "warm",
       "kernels alone",
       100,
       {},
       ErrorInfo{ErrorCode::NotSupported, "It synchronises", "", {}}}};
  auto longer = std::make_shared<Run>(*run);
  longer->dims["rows"] *= 2;
  auto earlier = std::make_shared<Run>(*run);
  earlier->startedUnixNs -= 86'400 * kSecond;
  const std::vector<ExportView> views = viewsOf(run, {earlier, run, longer}, 1, indexesFor(run));
  for (const char* name : {"methods.png", "sweep.png", "history.png"}) {
    INFO(name);
    const auto view =
        std::find_if(views.begin(), views.end(), [&](const ExportView& one) { return one.file == name; });
    REQUIRE(view != views.end());
    const QImage image = view->draw();
    CHECK(image.width() == kTimelineWidth);
    CHECK(colours(image) > 5);
  }
  const QImage alone = drawReport(uitest::syntheticRun(), {}, 1, {});
  CHECK(views.back().file == "report.png");
  CHECK(views.back().draw().height() > alone.height());
}

TEST_CASE("the scale scales") {
  const auto run = uitest::syntheticRun();
  const auto once = viewsOf(run, {run}, 1, indexesFor(run));
  const auto thrice = viewsOf(run, {run}, 3, indexesFor(run));
  REQUIRE(once.size() == thrice.size());
  CHECK(once.front().draw().width() == kTimelineWidth);
  for (std::size_t i = 0; i + 1 < once.size(); ++i) {
    INFO(once[i].file);
    CHECK(thrice[i].draw().size() == once[i].draw().size() * 3);
  }
}

TEST_CASE("a run without any number is drawn, too") {
  for (const ErrorCode code : {ErrorCode::RecordsLost, ErrorCode::NoKernel}) {
    auto run = uitest::failingRun(code);
    run->passes.erase(run->passes.begin());
    run->passes.pop_back();
    summariseRun(*run);
    for (const ExportView& view : viewsOf(run, {run}, 1, indexesFor(run))) CHECK_FALSE(view.draw().isNull());
  }
  auto empty = std::make_shared<Run>();
  for (const ExportView& view : viewsOf(empty, {empty}, 1, {})) CHECK_FALSE(view.draw().isNull());
}

TEST_CASE("what cannot be exported says why, with the command line's exit codes") {
  QTemporaryDir folder;
  const QString to = folder.filePath(QStringLiteral("out"));
  const Exit missing =
      runProgram({QStringLiteral("--export"), to, folder.filePath(QStringLiteral("none.opscope"))});
  CHECK(missing.code == 7);
  CHECK(missing.err.contains(QStringLiteral("none.opscope")));
  const QString session = folder.filePath(QStringLiteral("s.opscope"));
  writeSession(session.toStdString(), {uitest::syntheticRun()});
  const Exit unwritable =
      runProgram({QStringLiteral("--export"), session + QStringLiteral("/below-a-file"), session});
  CHECK(unwritable.code == 7);
  CHECK(unwritable.err.contains(QStringLiteral("below-a-file")));
  CHECK(runProgram({QStringLiteral("--export"), to, session, QStringLiteral("--run"), QStringLiteral("9")})
            .code == 5);
  CHECK(runProgram({QStringLiteral("--export"), to}).code == 2);
  CHECK(
      runProgram({QStringLiteral("--export"), to, session, QStringLiteral("--scale"), QStringLiteral("big")})
          .code == 2);
  CHECK(runProgram({QStringLiteral("--no-such-option")}).code == 2);
}

TEST_CASE("without a display the window says so instead of aborting") {
  const Exit exit = runProgram({});
  CHECK(exit.code == 2);
  CHECK(exit.err.contains(QStringLiteral("there is no display")));
  CHECK(runProgram({QStringLiteral("--help")}).code == 0);
}
