// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <thread>

#include "panels/compare_panel.h"
#include "panels/iterations_panel.h"
#include "panels/op_picker.h"
#include "panels/pickers_bar.h"
#include "panels/runs_panel.h"
#include "panels/start_page.h"
#include "panels/timeline_bar.h"
#include "panels/verdict_bar.h"
#include "plots/strip_plot.h"
#include "plots/timeline_plot.h"
#include "session/store.h"
#include "state/focus.h"
#include "ui/fake_engine.h"
#include "ui/synthetic_run.h"
#include "ui/window_bench.h"
#include "window/cheat_sheet.h"
#include "window/palette.h"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::waitFor;

namespace {

/// Answers the next question that a window asks.
void answer(QMessageBox::StandardButton with) {
  QTimer::singleShot(0, qApp, [with] {
    for (QWidget* shown : QApplication::topLevelWidgets()) {
      auto* box = qobject_cast<QMessageBox*>(shown);
      if (box && box->isVisible()) box->button(with)->click();
    }
  });
}

}  // namespace

TEST_CASE("the window has an icon that needs no plug-in") {
  Bench bench;
  CHECK_FALSE(bench.window.windowIcon().isNull());
  CHECK(bench.window.windowIcon().pixmap(48, 48).toImage().pixelColor(24, 6) == QColor(0x16, 0x22, 0x2e));
}

TEST_CASE("traps stand last and apart, and are not proposed") {
  Bench bench;
  auto* ops = bench.window.pickers().findChild<QComboBox*>();
  REQUIRE(ops->count() == 4);
  CHECK(ops->itemText(0) == QStringLiteral("add"));
  CHECK(ops->itemText(1) == QStringLiteral("rms_norm"));
  CHECK(ops->itemText(2).isEmpty());  // the separator
  CHECK(ops->itemText(3) == QStringLiteral("a_trap"));
  CHECK(bench.window.pickers().job().op == "rms_norm");
  bench.window.pickers().pickOp(QStringLiteral("a_trap"));
  CHECK(bench.window.pickers().job().op == "a_trap");
  CHECK(bench.window.pickers().isReady());
  CHECK(bench.window.findChild<OpPicker*>()->shown() ==
        QStringList{QStringLiteral("add"), QStringLiteral("rms_norm")});
}

TEST_CASE("recorded sessions that came with the program are offered and open") {
  QTemporaryDir resources;
  const auto samples = std::filesystem::path(resources.path().toStdString()) / "samples";
  std::filesystem::create_directories(samples);
  writeSession(samples / "rms_norm_h200.opscope", {uitest::syntheticRun()});
  qputenv("OPSCOPE_RESOURCES", resources.path().toUtf8());
  Bench bench;
  qunsetenv("OPSCOPE_RESOURCES");
  auto* page = bench.window.findChild<StartPage*>();
  REQUIRE(page->samples() == 1);
  auto* list = page->findChildren<QListWidget*>()[0];
  CHECK(list->item(0)->text() == QStringLiteral("rms norm h200"));
  Q_EMIT list->itemActivated(list->item(0));
  bench.settle();
  CHECK(bench.window.session().runs().size() == 1);
  CHECK(bench.window.selection().now().item.kind == SelectedItem::Kind::Gap);
}

TEST_CASE("passes show in the strip while the measurement runs, and a restarted block leaves it") {
  const auto run = uitest::syntheticRun();
  auto empty = std::make_shared<Run>(*run);
  empty->passes.clear();
  std::atomic<int> step{0};
  auto engine = std::make_shared<uitest::FakeEngine>([&](std::stop_token, const EngineHandler& tell) {
    const auto waitStep = [&](int wanted) {
      while (step < wanted) std::this_thread::yield();
    };
    tell(JobStarted{empty});
    tell(PassFinished{run->passes[0]});
    tell(PassFinished{run->passes[1]});
    waitStep(1);
    tell(BlockRestarted{0});
    tell(PassFinished{run->passes[0]});
    waitStep(2);
    tell(JobFinished{run});
  });
  Bench bench(engine);
  bench.window.measureOnce();
  const auto shown = [&] { return bench.window.strip().layoutShown().passes.size(); };
  REQUIRE(waitFor([&] { return shown() == 2; }));
  CHECK(bench.window.strip().isVisible());
  CHECK_FALSE(bench.window.selection().now().run);
  step = 1;
  REQUIRE(waitFor([&] { return shown() == 1; }));
  step = 2;
  REQUIRE(waitFor([&] { return !bench.window.session().runs().empty(); }));
  CHECK(shown() == 4);
  CHECK(bench.window.selection().now().run == run);
}

TEST_CASE("a measurement that fails before its first pass leads back to where it began") {
  const auto run = uitest::syntheticRun();
  auto empty = std::make_shared<Run>(*run);
  empty->passes.clear();
  auto engine = std::make_shared<uitest::FakeEngine>([&](std::stop_token, const EngineHandler& tell) {
    tell(JobStarted{empty});
    tell(PassFinished{run->passes[0]});
    tell(BlockRestarted{0});
    tell(JobFailed{{ErrorCode::DeviceLost, "The device is gone", "Restart", {}}, nullptr});
  });
  Bench bench(engine);
  bench.window.measureOnce();
  REQUIRE(waitFor([&] { return !bench.window.bridge().isRunning(); }));
  CHECK(bench.window.findChild<StartPage*>()->isVisible());
  CHECK(bench.window.strip().layoutShown().passes.empty());
}

TEST_CASE("closing with unsaved runs: save saves and then closes") {
  Bench bench;
  const auto file = std::filesystem::path(bench.folder.path().toStdString()) / "kept.opscope";
  bench.window.session().add(uitest::syntheticRun());
  bench.window.saveTo(file);
  bench.settle();
  bench.window.session().add(uitest::syntheticRun());
  answer(QMessageBox::Cancel);
  CHECK_FALSE(bench.window.close());
  CHECK(bench.window.isVisible());
  answer(QMessageBox::Save);
  bench.window.close();
  REQUIRE(waitFor([&] { return !bench.window.isVisible(); }));
  CHECK_FALSE(bench.window.session().hasUnsaved());
  CHECK(readSession(file).runs.size() == 2);
}

TEST_CASE("a file that cannot be written keeps the window open") {
  Bench bench;
  bench.window.session().add(uitest::syntheticRun());
  bench.window.session().markSaved("/no/such/folder/x.opscope");
  bench.window.session().add(uitest::syntheticRun());
  answer(QMessageBox::Save);
  bench.window.close();
  bench.settle();
  CHECK(bench.window.isVisible());
  CHECK(bench.window.session().hasUnsaved());
}

TEST_CASE("B pins the baseline and Compare shows the difference to it") {
  Bench bench;
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  bench.window.session().add(run);
  bench.window.selection().select(medianSelection(run, 1));
  auto* compare = bench.window.findChild<ComparePanel*>();
  REQUIRE(compare->model().rowCount() == 2);
  const auto cell = [&](int row, int column) {
    return compare->model().index(row, column).data().toString();
  };
  CHECK(cell(0, 0) == QStringLiteral("A one-pass (baseline)"));
  CHECK(cell(1, 4) == QStringLiteral("-2.695"));
  bench.action(Qt::Key_B)->trigger();
  CHECK(cell(1, 0) == QStringLiteral("B eager (baseline)"));
  CHECK(cell(0, 4) == QStringLiteral("+2.695"));
  CHECK(cell(0, 5) == QStringLiteral("1.2722"));
  CHECK(cell(0, 6) == QStringLiteral("undecided (one-block)"));
  CHECK(cell(1, 11) == QStringLiteral("9.900  9.900"));
  CHECK(bench.window.findChild<RunsPanel*>()->item(0)->text().contains(QStringLiteral("baseline: eager")));
  CHECK(bench.window.findChild<QDockWidget*>(QStringLiteral("compare"))->isVisible());

  // Another run is compared with the pinned one, unless it measured something else.
  auto other = uitest::syntheticRun();
  bench.window.session().add(other);
  bench.window.selection().select(openingSelection(other));
  REQUIRE(compare->model().rowCount() == 3);
  CHECK(cell(0, 0).startsWith(QStringLiteral("pinned: eager")));
  CHECK(cell(2, 4) == QStringLiteral("0"));
  CHECK(cell(2, 5) == QStringLiteral("1.0000"));
  CHECK(cell(2, 6) == QStringLiteral("undecided"));
  CHECK(cell(2, 12).contains(QStringLiteral("fewer than 4 passes")));
  CHECK(cell(1, 5).isEmpty());  // of another name: a difference, and no verdict
  CHECK(cell(1, 12).contains(QStringLiteral("Another run")));
  CHECK(bench.window.verdictBar().plainText().contains(
      QStringLiteral("undecided against the pinned baseline")));
  const std::shared_ptr<const Run> failed = uitest::failingRun(ErrorCode::RecordsLost);
  bench.window.selection().select(medianSelection(failed, 1));
  CHECK(cell(2, 1).isEmpty());
  CHECK(cell(2, 4).isEmpty());
  CHECK(cell(2, 11).isEmpty());
  CHECK(cell(2, 12).contains(QStringLiteral("RecordsLost")));
}

TEST_CASE("brushed iterations are those that the table lists") {
  Bench bench;
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  bench.window.selection().select(openingSelection(run));
  auto* iterations = bench.window.findChild<IterationsPanel*>();
  CHECK(iterations->model().rowCount() == 80);
  bench.window.selection().selectBrush(Brush{Brush::Quantity::Busy, 12'500, 12'520});
  CHECK(iterations->model().rowCount() == 6);  // i = 0, 1, 2 of two passes
  bench.window.selection().selectBrush(std::nullopt);
  CHECK(iterations->model().rowCount() == 80);
}

TEST_CASE("commands are found by a few letters") {
  CHECK(fitOf(QStringLiteral("gap"), QStringLiteral("Largest gap")) >= 0);
  CHECK(fitOf(QStringLiteral("lg"), QStringLiteral("Largest gap")) >= 0);
  CHECK(fitOf(QStringLiteral("lg"), QStringLiteral("Largest gap")) <
        fitOf(QStringLiteral("lg"), QStringLiteral("Fit all, gone")));
  CHECK(fitOf(QStringLiteral("xyz"), QStringLiteral("Largest gap")) < 0);
  CHECK(fitOf({}, QStringLiteral("Largest gap")) >= 0);

  Bench bench;
  bench.window.selection().select(openingSelection(uitest::syntheticRun()));
  bench.window.selection().selectItem({});
  bench.action(QKeySequence(QStringLiteral("Ctrl+Shift+P")))->trigger();
  auto* commands = bench.window.findChild<CommandPalette*>();
  REQUIRE(commands);
  auto* typed = commands->findChild<QLineEdit*>();
  QTest::keyClicks(typed, QStringLiteral("largest"));
  REQUIRE(commands->list().count() >= 1);
  CHECK(commands->list().currentItem()->text().startsWith(QStringLiteral("Largest gap")));
  QTest::keyClick(typed, Qt::Key_Return);
  CHECK(bench.window.selection().now().item.kind == SelectedItem::Kind::Gap);
}

TEST_CASE("the cheat sheet lists every key of every menu") {
  Bench bench;
  bench.window.selection().select(openingSelection(uitest::syntheticRun()));
  bench.action(Qt::Key_Question)->trigger();
  auto* sheet = bench.window.findChild<CheatSheet*>();
  REQUIRE(sheet);
  const QString words = sheet->plainText();
  for (const QAction* action : bench.window.findChildren<QAction*>()) {
    if (action->shortcuts().isEmpty() || action->text().isEmpty()) continue;
    INFO(action->text().toStdString());
    CHECK(words.contains(plainName(*action)));
  }
  for (const char* mouse : {"Shift+click", "middle drag", "Ctrl+wheel"}) {
    CHECK(words.contains(QString::fromUtf8(mouse)));
  }
}

TEST_CASE("1, 2 and 3 choose what the timeline shows, / leads to the search") {
  Bench bench;
  bench.window.selection().select(openingSelection(uitest::syntheticRun()));
  bench.window.activateWindow();
  bench.window.timeline().setFocus();
  QTest::keyClick(&bench.window.timeline(), Qt::Key_3);
  CHECK(bench.window.timeline().mode() == TimelineMode::Pass);
  QTest::keyClick(&bench.window.timeline(), Qt::Key_2);
  CHECK(bench.window.timeline().mode() == TimelineMode::Overlay);
  QTest::keyClick(&bench.window.timeline(), Qt::Key_1);
  CHECK(bench.window.timeline().mode() == TimelineMode::Iteration);
  QTest::keyClick(&bench.window.timeline(), Qt::Key_Slash);
  CHECK(bench.window.timelineBar().findChild<QLineEdit*>()->hasFocus());
  bench.window.exportTo(bench.folder.filePath(QStringLiteral("out")).toStdString());
  REQUIRE(waitFor([&] {
    bench.settle();
    return QFile::exists(bench.folder.filePath(QStringLiteral("out/report.png")));
  }));
  for (const char* name : {"out/report.html", "out/summary.md", "out/summary.csv", "out/timeline.png"}) {
    INFO(name);
    CHECK(QFileInfo(bench.folder.filePath(QString::fromUtf8(name))).size() > 0);
  }
}

TEST_CASE("a narrow window scrolls the tabs of its views and cuts no name") {
  Bench bench;
  bench.window.resize(1'000, 640);
  bench.window.selection().select(openingSelection(uitest::syntheticRun()));
  bench.settle();
  int names = 0;
  for (QTabBar* bar : bench.window.findChildren<QTabBar*>()) {
    if (!bar->isVisible()) continue;
    for (int tab = 0; tab < bar->count(); ++tab) {
      INFO(bar->tabText(tab).toStdString());
      CHECK(bar->tabRect(tab).width() >= bar->fontMetrics().horizontalAdvance(bar->tabText(tab)));
      ++names;
    }
  }
  CHECK(names >= 13);
}
