// SPDX-License-Identifier: GPL-3.0-or-later
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
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
  for (const char* name : {"timeline.png", "iterations.png", "report.png", "samples.csv", "kernels.csv",
                           "gaps.csv", "summary.csv"}) {
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
}

TEST_CASE("the scale scales") {
  const auto run = uitest::syntheticRun();
  const ExportImages once = drawImages(run, 1, indexesFor(run));
  const ExportImages thrice = drawImages(run, 3, indexesFor(run));
  CHECK(once.timeline.width() == kTimelineWidth);
  CHECK(thrice.timeline.size() == once.timeline.size() * 3);
  CHECK(thrice.iterations.size() == once.iterations.size() * 3);
}

TEST_CASE("a run without any number is drawn, too") {
  for (const ErrorCode code : {ErrorCode::RecordsLost, ErrorCode::NoKernel}) {
    auto run = uitest::failingRun(code);
    run->passes.erase(run->passes.begin());
    run->passes.pop_back();
    summariseRun(*run);
    CHECK_FALSE(drawImages(run, 1, indexesFor(run)).report.isNull());
  }
  auto empty = std::make_shared<Run>();
  CHECK_FALSE(drawImages(empty, 1, {}).report.isNull());
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
