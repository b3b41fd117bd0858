// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QListWidget>
#include <QMouseEvent>
#include <QPushButton>
#include <QSettings>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <catch2/catch_test_macros.hpp>

#include "panels/banner.h"
#include "plots/timeline_plot.h"
#include "remote/make_engine.h"
#include "session/store.h"
#include "state/focus.h"
#include "ui/dark_palette.h"
#include "ui/fake_engine.h"
#include "ui/synthetic_run.h"
#include "ui/wait_for.h"
#include "window/engines_dialog.h"
#include "window/main_window.h"

// Pictures of the window for a person to look at, in light and dark:
//   OPSCOPE_LOOK=folder [OPSCOPE_LOOK_SESSION=file] [QT_SCALE_FACTOR=2] test_ui_window "[look]"

using namespace opscope;
using namespace opscope::ui;

namespace {

void settle() {
  QElapsedTimer clock;
  clock.start();
  while (clock.elapsed() < 300) QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
}

void look(MainWindow& window, const QString& name) {
  settle();
  const QString file =
      qEnvironmentVariable("OPSCOPE_LOOK") + QLatin1Char('/') + name + QStringLiteral(".png");
  REQUIRE(window.grab().save(file));
}

void raise(MainWindow& window, const char* dock) {
  window.findChild<QDockWidget*>(QString::fromUtf8(dock))->raise();
}

}  // namespace

TEST_CASE("pictures of the window to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  std::vector<std::shared_ptr<const Run>> runs{uitest::syntheticRun(),
                                               uitest::failingRun(ErrorCode::OffThreadLaunch)};
  if (qEnvironmentVariableIsSet("OPSCOPE_LOOK_SESSION")) {
    const Session session = readSession(qEnvironmentVariable("OPSCOPE_LOOK_SESSION").toStdString());
    runs.insert(runs.end(), session.runs.begin(), session.runs.end());
  }
  const QPalette light = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    const QString theme = dark ? QStringLiteral("dark-") : QStringLiteral("light-");
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    MainWindow window(std::make_shared<uitest::FakeEngine>(), settings);
    window.show();
    look(window, theme + QStringLiteral("start"));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      window.session().add(runs[i]);
      window.selection().select(openingSelection(runs[i]));
      look(window, theme + QStringLiteral("run%1").arg(i + 1));
    }
    window.selection().select(openingSelection(runs[0]));
    const Pass& pass = *window.selection().now().passOrNull();
    window.selection().selectRange(Interval{pass.gaps[window.selection().now().item.index].start,
                                            pass.gaps[window.selection().now().item.index].end});
    raise(window, "gaps");
    look(window, theme + QStringLiteral("gaps"));
    window.selection().select(medianSelection(runs[1], 1));
    raise(window, "iterations");
    window.banner().show({ErrorCode::CannotRead,
                          "The file sample.opscope is not a session: it is not a SQLite database.",
                          "Choose a file that Opscope wrote.",
                          {}});
    look(window, theme + QStringLiteral("failure"));
    window.banner().hide();
    window.selection().select(openingSelection(runs.back()));
    raise(window, "kernels");
    window.resize(1'000, 640);
    look(window, theme + QStringLiteral("small"));
  }
  QApplication::setPalette(light);
}

TEST_CASE("pictures of the engines to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  const QPalette light = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    EngineList engines;
    engines.add({QStringLiteral("the box"), QStringLiteral("no-such-program serve")});
    EnginesDialog dialog(engines, [](const std::string& where) { return tryEngine(where); });
    dialog.show();
    auto* list = dialog.findChild<QListWidget*>(QStringLiteral("engines"));
    for (int row = 0; row < list->count(); ++row) {
      list->setCurrentRow(row);
      for (QPushButton* button : dialog.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("&Test")) button->click();
      const auto* found = dialog.findChild<QLabel*>(QStringLiteral("found"));
      REQUIRE(uitest::waitFor([&] { return !found->text().startsWith(QStringLiteral("Trying")); }));
      REQUIRE(dialog.grab().save(QStringLiteral("%1/%2engines%3.png")
                                     .arg(qEnvironmentVariable("OPSCOPE_LOOK"),
                                          dark ? QStringLiteral("dark-") : QStringLiteral("light-"))
                                     .arg(row + 1)));
    }
  }
  QApplication::setPalette(light);
}

TEST_CASE("tooltips of the timeline to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  Selection selection;
  TimelinePlot plot(selection);
  plot.resize(1'000, 320);
  plot.show();
  selection.select(openingSelection(uitest::syntheticRun()));
  settle();
  const auto hover = [&](LaneKind kind, double ns, const char* name) {
    for (std::size_t i = 0; i < plot.lanes().lanes.size(); ++i) {
      if (plot.lanes().lanes[i].kind != kind) continue;
      const QPointF at(plot.transform().xOf(ns), plot.laneCentre(i));
      QMouseEvent move(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                       Qt::NoModifier);
      QCoreApplication::sendEvent(&plot, &move);
      settle();
      for (QWidget* top : QApplication::topLevelWidgets()) {
        if (!top->inherits("QTipLabel") || !top->isVisible()) continue;
        REQUIRE(top->grab().save(qEnvironmentVariable("OPSCOPE_LOOK") + QLatin1Char('/') +
                                 QString::fromUtf8(name) + QStringLiteral(".png")));
      }
      return;
    }
  };
  hover(LaneKind::Stream, 1'500, "tip-kernel");
  hover(LaneKind::Gaps, 6'000, "tip-gap");
  hover(LaneKind::Host, 6'000, "tip-launch");
}
