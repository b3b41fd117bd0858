// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDockWidget>
#include <QStyleFactory>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "panels/gaps_panel.h"
#include "panels/history_panel.h"
#include "panels/kernels_panel.h"
#include "plots/history_plot.h"
#include "session/kept.h"
#include "state/focus.h"
#include "ui/dark_palette.h"
#include "ui/synthetic_run.h"
#include "ui/window_bench.h"

// The history in the window, and runs whose session kept no records.

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;

namespace {

// Slower by a share of its busy, and measured on a day.
std::shared_ptr<const Run> slower(double share, std::int64_t day, std::optional<double> noise = {},
                                  const char* kernel = nullptr) {
  auto run = uitest::syntheticRun();
  run->startedUnixNs = day * 86'400 * kSecond;
  if (noise) run->noiseFloor = NoiseFloor{*noise, "2026-01-31 12:00 UTC", {}};
  for (auto& pass : run->passes) {
    auto other = std::make_shared<Pass>(*pass);
    for (Sample& sample : other->samples)
      sample.busy += static_cast<Ns>(share * static_cast<double>(sample.busy));
    if (kernel != nullptr && pass->implementation == 0) {
      const std::uint32_t id = other->trace.names.intern(kernel);
      for (KernelRecord& record : other->trace.kernels) record.nameId = id;
    }
    pass = other;
  }
  // Four passes of each, which a verdict between two sessions takes.
  for (std::size_t p = run->passes.size(); p-- > 0;) {
    auto again = std::make_shared<Pass>(*run->passes[p]);
    again->block = 1;
    run->passes.push_back(again);
  }
  summariseRun(*run);
  return run;
}

}  // namespace

TEST_CASE("a click in the history pins a run as the baseline, and keys go along it") {
  SessionModel session;
  Selection selection;
  const auto first = slower(0, 1), second = slower(0.1, 2), third = slower(0.05, 3);
  for (const auto& run : {third, first, second}) session.add(run);
  selection.select(medianSelection(second, 0));
  HistoryPanel panel(session, selection);
  panel.resize(900, 400);
  panel.show();
  QCoreApplication::processEvents();
  HistoryPlot& plot = panel.plot();
  plot.replot(QCustomPlot::rpImmediateRefresh);
  REQUIRE(plot.history().lines.size() == 2);
  REQUIRE(plot.history().runs.size() == 3);
  CHECK(panel.words().contains(QStringLiteral("one-pass is slower than in the baseline")));

  const auto at = [&](std::size_t point) {
    return plot.pixelOf(plot.history().lines[0].series.points[point]).toPoint();
  };
  QTest::mouseClick(&plot, Qt::LeftButton, {}, at(2));
  REQUIRE(session.baseline());
  CHECK(session.baseline()->run == third);
  CHECK(plot.history().lines[0].series.reference == 2);
  QCoreApplication::processEvents();
  QTest::mouseClick(&plot, Qt::LeftButton, {}, at(2));
  CHECK_FALSE(session.baseline());

  QTest::keyClick(&plot, Qt::Key_Left);
  CHECK(selection.now().run == first);
  QTest::keyClick(&plot, Qt::Key_Left);
  CHECK(selection.now().run == first);
  QTest::keyClick(&plot, Qt::Key_Return);
  CHECK(session.baseline()->run == first);
  selection.selectRun(nullptr);
  CHECK(panel.words() == QStringLiteral("No run selected."));
}

TEST_CASE("a run without records is shown in words and breaks no view") {
  for (const RecordsKept kept : {RecordsKept::Summary, RecordsKept::None}) {
    Bench bench;
    const auto run = std::make_shared<const Run>(reducedTo(kept, *uitest::syntheticRun()));
    bench.window.session().add(run);
    bench.window.selection().select(openingSelection(run));
    QCoreApplication::processEvents();
    for (std::int32_t pass = 0; pass < 4; ++pass) {
      bench.window.selection().selectIteration(pass, 0);
      QCoreApplication::processEvents();
    }
    bench.window.selection().select(medianSelection(run, 1));
    QCoreApplication::processEvents();
    CHECK(keptText(bench.window.selection().now()).contains(QString::fromUtf8(nameOf(kept).data())));
    for (const char* dock : {"gaps", "kernels", "iterations", "compare", "drift", "distribution", "methods",
                             "roofline", "sweep", "history"}) {
      uitest::raiseDock(bench.window, dock);
      QCoreApplication::processEvents();
    }
    CHECK_FALSE(bench.window.grab().isNull());
  }
}

TEST_CASE("pictures of the history to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  const QPalette light = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    const QString theme = dark ? QStringLiteral("/dark-") : QStringLiteral("/light-");
    const auto save = [&](QWidget& widget, const char* name) {
      QTest::qWait(300);
      REQUIRE(widget.grab().save(qEnvironmentVariable("OPSCOPE_LOOK") + theme + QString::fromUtf8(name)));
    };
    Bench bench;
    std::int64_t day = 20'000;
    for (const double share : {0.0, 0.01, -0.01, 0.02, 0.0, 0.12, 0.13, 0.02})
      bench.window.session().add(slower(share, day++, 0.03, share > 0.05 ? "another_kernel" : nullptr));
    const auto last = bench.window.session().runs()[5];
    bench.window.selection().select(medianSelection(last, 0));
    bench.window.resize(1'300, 860);
    uitest::raiseDock(bench.window, "history");
    save(bench.window, "history.png");
    for (const RecordsKept kept : {RecordsKept::Summary, RecordsKept::None}) {
      const auto run = std::make_shared<const Run>(reducedTo(kept, *uitest::syntheticRun()));
      bench.window.session().add(run);
      bench.window.selection().select(medianSelection(run, 1));
      uitest::raiseDock(bench.window, "gaps");
      save(bench.window, kept == RecordsKept::None ? "records-none.png" : "records-summary.png");
    }
  }
  QApplication::setPalette(light);
}
