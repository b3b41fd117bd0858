// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QCommandLineParser>
#include <QFileInfo>
#include <QSettings>
#include <cstdio>
#include <cstring>
#include <optional>

#include "engine/prepare_process.h"
#include "remote/make_engine.h"
#include "report/export.h"
#include "start_clock.h"
#include "state/engine_list.h"
#include "state/op_folders.h"
#include "window/main_window.h"

namespace {

constexpr int kUsage = 2;

bool hasDisplay() {
  return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
}

/// Qt chooses its platform before it can parse anything.
bool needsNoDisplay(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    for (const char* name : {"--export", "--time-start", "--help", "-h", "--version", "-v"}) {
      if (std::strncmp(argv[i], name, std::strlen(name)) == 0) return true;
    }
  }
  return false;
}

int usageError(const QString& sentence) {
  std::fprintf(stderr, "opscope-ui: %s\nSee opscope-ui --help.\n", sentence.toUtf8().constData());
  return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  if (!hasDisplay() && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    if (!needsNoDisplay(argc, argv)) {
      std::fputs(
          "opscope-ui: there is no display. Measure with the opscope command line, and draw a session's "
          "pictures "
          "with opscope-ui --export FOLDER SESSION.\n",
          stderr);
      return kUsage;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  opscope::prepareProcess();
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("opscope"));
  QApplication::setApplicationName(QStringLiteral("opscope-ui"));
  QApplication::setApplicationVersion(QStringLiteral(OPSCOPE_VERSION));

  QCommandLineParser parser;
  parser.setApplicationDescription(
      QObject::tr("Measures GPU ops and shows every kernel, the gaps and who caused them.\n\n"
                  "Exit codes: 0 done, 2 usage, 5 bad input, 7 could not read or write."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption exportTo(
      QStringLiteral("export"),
      QObject::tr("Write PNG, CSV, Markdown and HTML of a session into <folder>; needs no display."),
      QStringLiteral("folder"));
  const QCommandLineOption scaleBy(
      QStringLiteral("scale"), QObject::tr("With --export: pixels per unit of length, 0.5 to 8 (default 2)."),
      QStringLiteral("factor"), QStringLiteral("2"));
  const QCommandLineOption runNumber(
      QStringLiteral("run"), QObject::tr("With --export: which run, counted from 1 (default: the last)."),
      QStringLiteral("number"));
  const QCommandLineOption engineAt(
      QStringLiteral("engine"),
      QObject::tr(
          "Where to measure: process (default: in a process of its own), local, or a command that leads "
          "to an engine, as in 'ssh gpu-box opscope serve'."),
      QStringLiteral("engine"));
  const QCommandLineOption opsIn(
      QStringLiteral("ops"),
      QObject::tr(
          "A folder with *.yaml of your own ops, beside those that the window remembers; may be given "
          "several times."),
      QStringLiteral("folder"));
  const QCommandLineOption timeStart(
      QStringLiteral("time-start"),
      QObject::tr("Print how long after its start the window was painted, and all that it opens was there; "
                  "then end."));
  parser.addOptions({exportTo, scaleBy, runNumber, engineAt, opsIn, timeStart});
  parser.addPositionalArgument(
      QStringLiteral("session"),
      QObject::tr("Sessions (*.opscope) and traces (*.json, *.json.gz, *.sqlite) to open."),
      QStringLiteral("[session...]"));
  if (!parser.parse(QApplication::arguments())) return usageError(parser.errorText());
  if (parser.isSet(QStringLiteral("help"))) parser.showHelp(0);
  if (parser.isSet(QStringLiteral("version"))) parser.showVersion();

  const QStringList sessions = parser.positionalArguments();
  if (parser.isSet(exportTo)) {
    bool scaleOk = false;
    const double scale = parser.value(scaleBy).toDouble(&scaleOk);
    if (!scaleOk || !(scale >= 0.5 && scale <= 8))
      return usageError(QObject::tr("--scale takes a number from 0.5 to 8."));
    bool runOk = true;
    const int run = parser.isSet(runNumber) ? parser.value(runNumber).toInt(&runOk) : 0;
    if (!runOk || (parser.isSet(runNumber) && run < 1))
      return usageError(QObject::tr("--run takes a number from 1."));
    if (sessions.size() != 1) return usageError(QObject::tr("--export takes exactly one session."));
    return opscope::ui::exportSession(parser.value(exportTo).toStdString(), sessions.front().toStdString(),
                                      scale, run);
  }

  QSettings settings;
  const QString where =
      parser.isSet(engineAt) ? parser.value(engineAt) : opscope::ui::EngineList::from(settings).current();
  QStringList folders;
  for (const QString& folder : parser.values(opsIn)) folders << QFileInfo(folder).absoluteFilePath();
  std::shared_ptr<opscope::Engine> engine;
  std::optional<opscope::ErrorInfo> problem;
  try {
    QStringList all = folders;
    if (opscope::ui::isOnThisMachine(where))
      for (const QString& folder : opscope::ui::opFolders(settings))
        if (!all.contains(folder)) all << folder;
    engine = opscope::ui::openEngine(where, all);
  } catch (...) {
    problem = opscope::currentErrorInfo();
    engine = opscope::makeLocalEngine();
  }
  opscope::ui::MainWindow window(std::move(engine), settings, folders);
  std::optional<opscope::ui::StartClock> clock;
  if (parser.isSet(timeStart)) clock.emplace(window);
  window.show();
  if (problem) window.report(*problem);
  std::vector<std::filesystem::path> files;
  for (const QString& name : sessions) files.emplace_back(name.toStdString());
  window.openFiles(files);
  return QApplication::exec();
}
