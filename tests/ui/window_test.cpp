// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "panels/banner.h"
#include "panels/findings_panel.h"
#include "panels/gaps_panel.h"
#include "panels/inspector_panel.h"
#include "panels/iterations_panel.h"
#include "panels/kernels_panel.h"
#include "panels/pickers_bar.h"
#include "panels/progress_bar.h"
#include "panels/verdict_bar.h"
#include "plots/timeline_plot.h"
#include "session/store.h"
#include "state/focus.h"
#include "state/text.h"
#include "ui/fake_engine.h"
#include "ui/synthetic_run.h"
#include "ui/window_bench.h"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::waitFor;

TEST_CASE("a run that ends opens at its median iteration with the largest gap selected") {
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  auto engine = std::make_shared<uitest::FakeEngine>([run](std::stop_token, const EngineHandler& tell) {
    tell(JobStarted{run});
    tell(JobProgress{{Phase::Measure, "eager", 1, 4, 3, 20, 2 * kSecond}});
    tell(JobFinished{run});
  });
  Bench bench(engine);
  CHECK(bench.window.pickers().isReady());
  bench.action(Qt::Key_F5)->trigger();
  REQUIRE(waitFor([&] { return !bench.window.session().runs().empty(); }));
  CHECK(engine->lastJob.op == "rms_norm");
  CHECK(engine->lastJob.device == "cuda:0");
  CHECK(engine->lastJob.implementations == std::vector<std::string>{"one-pass", "eager", "library"});
  CHECK(engine->lastJob.protocol.blocks == 6);
  const Selected& now = bench.window.selection().now();
  CHECK(now.run == run);
  REQUIRE(now.item.kind == SelectedItem::Kind::Gap);
  CHECK(now.passOrNull()->gaps[now.item.index].length() == 7'400);
  CHECK(bench.window.verdictBar().plainText().contains(QStringLiteral("9.900 us busy")));
}

TEST_CASE("stop ends a measurement and keeps what had finished") {
  auto engine = std::make_shared<uitest::FakeEngine>([](std::stop_token stop, const EngineHandler& tell) {
    while (!stop.stop_requested()) tell(JobProgress{{Phase::WarmUp, "eager", 1, 4, 0, 0, 0}});
    auto partial = uitest::syntheticRun();
    partial->passes.resize(2);
    partial->cancelled = true;
    summariseRun(*partial);
    tell(JobFinished{partial});
  });
  Bench bench(engine);
  QAction* stop = bench.action(Qt::Key_Escape);
  REQUIRE(stop);
  CHECK_FALSE(stop->isEnabled());
  bench.window.measureOnce();
  CHECK(stop->isEnabled());
  CHECK_FALSE(bench.action(Qt::Key_F5)->isEnabled());
  CHECK(engine->lastJob.protocol.blocks == 1);
  stop->trigger();
  REQUIRE(waitFor([&] { return !bench.window.bridge().isRunning(); }));
  CHECK(bench.window.session().runs().size() == 1);
  CHECK(bench.window.verdictBar().plainText().contains(QStringLiteral("stopped early")));
  CHECK(bench.action(Qt::Key_F5)->isEnabled());
}

TEST_CASE("every failure of the method is a red banner with what to do and no number anywhere") {
  Bench bench;
  for (const ErrorCode code :
       {ErrorCode::RecordsLost, ErrorCode::OffThreadLaunch, ErrorCode::NoKernel,
        ErrorCode::DropCounterUnproven, ErrorCode::TimestampsMissing, ErrorCode::MixedMethods}) {
    INFO(nameOf(code));
    const std::shared_ptr<const Run> run = uitest::failingRun(code);
    bench.window.selection().select(medianSelection(run, 1));
    QCoreApplication::processEvents();
    const auto failures = bench.window.verdictBar().findChildren<QFrame*>(QStringLiteral("failure"));
    REQUIRE(failures.size() == 1);
    const QString words = failures[0]->findChild<QLabel*>()->text();
    CHECK(words.contains(text(nameOf(code))));
    CHECK(words.contains(text(run->implementations[1].failure->message).toHtmlEscaped()));
    static const QRegularExpression figure(QStringLiteral("\\d\\s?(ns|us|ms|TB/s|%)"));
    CHECK_FALSE(words.contains(figure));
    // The number of the healthy B would have been 9.900: it must not show in any view.
    const auto iterations = bench.window.findChild<IterationsPanel*>();
    CHECK(iterations->model().rowCount() == 40);
    for (int r = 0; r < iterations->model().rowCount(); ++r) {
      CHECK(iterations->model().index(r, 0).data().toString().startsWith(QLatin1Char('A')));
    }
    CHECK(bench.window.findChild<GapsPanel*>()->model().rowCount() == 0);
    CHECK(bench.window.findChild<KernelsPanel*>()->model().rowCount() == 0);
    const QString inspected = bench.window.findChild<InspectorPanel*>()->toPlainText();
    CHECK(inspected.contains(text(nameOf(code))));
    CHECK_FALSE(inspected.contains(QStringLiteral("latency")));
  }
}

TEST_CASE("an engine's failure is a banner with its sentence") {
  auto engine = std::make_shared<uitest::FakeEngine>([](std::stop_token, const EngineHandler& tell) {
    tell(JobFailed{{ErrorCode::DeviceUnavailable, "Another tool holds CUPTI.", "Close it.", {}}, nullptr});
  });
  Bench bench(engine);
  bench.window.measure();
  REQUIRE(waitFor([&] { return !bench.window.bridge().isRunning(); }));
  CHECK(bench.window.banner().shownText().contains(QStringLiteral("DeviceUnavailable")));
  CHECK(bench.window.banner().shownText().contains(QStringLiteral("Another tool holds CUPTI.")));
  CHECK(bench.window.session().runs().empty());
}

TEST_CASE("sessions are saved, opened again, and refused with a sentence when they cannot be read") {
  Bench bench;
  bench.window.session().add(uitest::syntheticRun());
  bench.window.saveTo(bench.file("kept.opscope"));
  bench.settle();
  CHECK_FALSE(bench.window.session().hasUnsaved());

  Bench other;
  other.window.openFiles({bench.file("kept.opscope")});
  other.settle();
  REQUIRE(other.window.session().runs().size() == 1);
  CHECK(other.window.selection().now().item.kind == SelectedItem::Kind::Gap);
  CHECK(other.window.verdictBar().plainText().contains(QStringLiteral("9.900 us busy")));

  QFile foreign(QString::fromStdString(bench.file("foreign.opscope").string()));
  REQUIRE(foreign.open(QIODevice::WriteOnly));
  foreign.write(
      "this is no database, but it is longer than the header of one would be, by quite a bit.......");
  foreign.close();
  other.window.openFiles({bench.file("foreign.opscope")});
  other.settle();
  CHECK(other.window.banner().shownText().contains(QStringLiteral("CannotRead")));
  CHECK(other.window.session().runs().size() == 1);
  other.window.openFiles({bench.file("missing.opscope")});
  other.settle();
  CHECK(other.window.banner().shownText().contains(QStringLiteral("missing.opscope")));
  other.window.saveTo(bench.file("no/such/folder/x.opscope"));
  other.settle();
  CHECK(other.window.banner().shownText().contains(QStringLiteral("CannotWrite")));
}

TEST_CASE("tables follow the selection, sort, filter and are copied with a header") {
  Bench bench;
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  bench.window.selection().select(openingSelection(run));
  auto* iterations = bench.window.findChild<IterationsPanel*>();
  bench.window.findChild<QDockWidget*>(QStringLiteral("iterations"))->raise();
  REQUIRE(iterations->model().rowCount() == 80);
  auto& view = iterations->view();
  view.sortByColumn(3, Qt::DescendingOrder);
  CHECK(iterations->model().index(0, 3).data().toString() == text(formatIn(TimeUnit::Microseconds, 12'690)));
  view.setCurrentIndex(iterations->model().index(0, 0));
  CHECK(bench.window.selection().now().iteration == 19);
  CHECK(bench.window.selection().now().pass == 0);
  const QStringList lines = iterations->selectedText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].startsWith(QStringLiteral("Implementation\tPass\tIteration")));
  CHECK(lines[1].startsWith(QStringLiteral("A one-pass\t1\t19")));
  auto* filter = iterations->findChild<QLineEdit*>();
  filter->setText(QStringLiteral("EAGER"));
  CHECK(iterations->model().rowCount() == 40);
  filter->setText(QStringLiteral("nothing like it"));
  CHECK(iterations->model().rowCount() == 0);
  filter->clear();
  CHECK(iterations->model().rowCount() == 80);

  bench.window.selection().selectIteration(1, 4);
  CHECK(view.selectionModel()->selectedRows().size() == 1);
  CHECK(view.currentIndex().siblingAtColumn(2).data().toString() == QStringLiteral("4"));
  auto* gaps = bench.window.findChild<GapsPanel*>();
  REQUIRE(gaps->model().rowCount() == 2);
  gaps->view().setCurrentIndex(gaps->model().index(1, 0));
  REQUIRE(bench.window.selection().now().item.kind == SelectedItem::Kind::Gap);
  CHECK(bench.window.findChild<InspectorPanel*>()->toPlainText().contains(QStringLiteral("queued")));
  auto* kernels = bench.window.findChild<KernelsPanel*>();
  REQUIRE(kernels->model().rowCount() == 4);
  kernels->view().setCurrentIndex(kernels->model().index(0, 0));
  CHECK(bench.window.selection().now().item.kind == SelectedItem::Kind::Kernel);
  CHECK(bench.window.findChild<InspectorPanel*>()->toPlainText().contains(QStringLiteral("rsqrt_kernel")));
}

TEST_CASE("a finding selects its evidence") {
  Bench bench;
  auto run = uitest::syntheticRun();
  run->findings = {{Finding::Severity::Warning, "host-late", "1 of 2 gaps is host-late.", 1, 2, 6, 12}};
  bench.window.selection().selectRun(run);
  auto* findings = bench.window.findChild<FindingsPanel*>();
  REQUIRE(findings->count() == 1);
  Q_EMIT findings->itemClicked(findings->item(0));
  const Selected& now = bench.window.selection().now();
  CHECK(now.pass == 2);
  CHECK(now.iteration == 6);
  CHECK(now.item == SelectedItem{SelectedItem::Kind::Gap, 12});
}

TEST_CASE("what was picked and the layout come back") {
  QTemporaryDir folder;
  QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
  {
    MainWindow window(std::make_shared<uitest::FakeEngine>(), settings);
    REQUIRE(waitFor([&] { return window.worker().pending() == 0; }));
    window.pickers().pickDevice(QStringLiteral("host"));
    window.pickers().pickWorkload(QStringLiteral("small"));
    window.pickers().pickDtype(QStringLiteral("bf16"));
    window.pickers().pickImplementations({QStringLiteral("eager")});
    window.close();
  }
  MainWindow window(std::make_shared<uitest::FakeEngine>(), settings);
  REQUIRE(waitFor([&] { return window.worker().pending() == 0; }));
  const Job job = window.pickers().job();
  CHECK(job.device == "host");
  CHECK(job.workload == "small");
  CHECK(job.dtype == "bf16");
  CHECK(job.implementations == std::vector<std::string>{"eager"});
}

TEST_CASE("only implementations that the device can run are offered") {
  Bench bench;
  bench.window.pickers().pickDevice(QStringLiteral("host"));
  CHECK(bench.window.pickers().job().implementations == std::vector<std::string>{"one-pass", "eager"});
  bench.window.pickers().pickOp(QStringLiteral("add"));
  CHECK(bench.window.pickers().job().implementations.empty());
  CHECK_FALSE(bench.window.pickers().isReady());
  CHECK_FALSE(bench.action(Qt::Key_F5)->isEnabled());
}

TEST_CASE("every action of the timeline has a key in a menu and text fields keep single letters") {
  Bench bench;
  bench.window.selection().select(openingSelection(uitest::syntheticRun()));
  for (const QKeySequence& key :
       {QKeySequence(Qt::Key_G), QKeySequence(Qt::Key_N), QKeySequence(Qt::Key_P), QKeySequence(Qt::Key_F),
        QKeySequence(Qt::Key_Home), QKeySequence(Qt::Key_W), QKeySequence(Qt::Key_A), QKeySequence(Qt::Key_S),
        QKeySequence(Qt::Key_D), QKeySequence(Qt::Key_BracketLeft), QKeySequence(Qt::Key_BracketRight),
        QKeySequence(Qt::Key_Comma), QKeySequence(Qt::Key_Period)}) {
    INFO(key.toString().toStdString());
    QAction* action = bench.action(key);
    REQUIRE(action);
    CHECK(action->shortcutContext() == Qt::WidgetShortcut);
    CHECK(action->isEnabled());
  }
  bench.window.activateWindow();
  bench.window.selection().selectItem({});
  auto* filter = bench.window.findChild<IterationsPanel*>()->findChild<QLineEdit*>();
  filter->setFocus();
  QTest::keyClicks(filter, QStringLiteral("gn"));
  CHECK(filter->text() == QStringLiteral("gn"));
  CHECK(bench.window.selection().now().item.kind == SelectedItem::Kind::None);
  filter->clear();
  bench.window.timeline().setFocus();
  QTest::keyClick(&bench.window.timeline(), Qt::Key_G);
  CHECK(bench.window.selection().now().item.kind == SelectedItem::Kind::Gap);
}

TEST_CASE("progress is said by phase with the time left") {
  CHECK(progressText({Phase::Measure, "eager", 3, 6, 120, 200, 3'500 * kMillisecond}) ==
        QStringLiteral("pass 3 of 6, eager: %1 120 of 200, 4 s left").arg(text(nameOf(Phase::Measure))));
  CHECK(progressText({Phase::Verify, "eager", 0, 0, 0, 0, 0}) ==
        QStringLiteral("eager: ") + text(nameOf(Phase::Verify)));
}

TEST_CASE("rms_norm is measured on the host through the window") {
  Bench bench{std::shared_ptr<Engine>(makeLocalEngine())};
  auto& pickers = bench.window.pickers();
  pickers.pickDevice(QStringLiteral("host"));
  pickers.pickOp(QStringLiteral("rms_norm"));
  REQUIRE(pickers.isReady());
  bench.window.measureOnce();
  CHECK(bench.window.bridge().isRunning());
  REQUIRE(waitFor([&] { return !bench.window.bridge().isRunning(); }, 120'000));
  INFO(bench.window.banner().shownText().toStdString());
  REQUIRE(bench.window.session().runs().size() == 1);
  const Run& run = *bench.window.session().runs()[0];
  CHECK(run.figures == "host CPU");
  REQUIRE(run.implementations.size() >= 2);
  for (const auto& implementation : run.implementations) {
    INFO(implementation.name);
    CHECK(implementation.hasNumber());
    CHECK(implementation.verification.state == VerificationRecord::State::Passed);
  }
  CHECK(bench.window.selection().now().passOrNull() != nullptr);
  CHECK_FALSE(bench.window.timeline().lanes().lanes.empty());
  CHECK(bench.window.verdictBar().plainText().contains(QStringLiteral("busy")));
  bench.window.saveTo(bench.file("host.opscope"));
  bench.settle();
  CHECK(readSession(bench.file("host.opscope")).runs.size() == 1);
}
