// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "panels/banner.h"
#include "panels/log_panel.h"
#include "panels/methods_panel.h"
#include "panels/pickers_bar.h"
#include "panels/sweep_panel.h"
#include "plots/sweep_plot.h"
#include "state/focus.h"
#include "ui/synthetic_run.h"
#include "ui/window_bench.h"

// Sweeps and methods from the window.

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::waitFor;

namespace {

/// Measures whatever it is asked for as the synthetic run, in the shape that was asked for; 4096 rows fail.
class SizedEngine : public uitest::FakeEngine {
 public:
  SizedEngine()
      : FakeEngine([this](std::stop_token, const EngineHandler& tell) {
          jobs.push_back(lastJob);
          if (lastJob.dims["rows"] == 4'096) {
            tell(JobFailed{{ErrorCode::OutOfMemory, "4096 rows do not fit", "", {}}, nullptr});
            return;
          }
          auto run = uitest::syntheticRun();
          run->dims["rows"] = lastJob.dims["rows"];
          if (lastJob.methods) {
            Summary reading = run->implementations[0].busy;
            run->implementations[0].methods = {{"records: busy", "clean", "kernels", 1, reading, {}},
                                               {"host wall clock", "clean", "everything", 1, reading, {}}};
          }
          tell(JobStarted{run});
          tell(JobFinished{run});
        }) {}
  ~SizedEngine() override { wait(); }
  std::vector<Job> jobs;
};

}  // namespace

TEST_CASE("a sweep from the window measures every size, and its points open the runs behind them") {
  auto engine = std::make_shared<SizedEngine>();
  Bench bench(engine);
  bench.window.pickers().pickOp(QStringLiteral("rms_norm"));
  bench.window.sweep(QStringLiteral("rows=512:4096:2x"));
  REQUIRE(waitFor([&] {
    return !bench.window.bridge().isRunning() && bench.window.session().runs().size() == 3 &&
           bench.window.findChild<LogPanel*>()->toPlainText().contains(QStringLiteral("Swept"));
  }));
  REQUIRE(engine->jobs.size() == 4);
  CHECK(engine->jobs[3].dims.at("rows") == 4'096);
  CHECK(engine->jobs[0].implementations == bench.window.pickers().job().implementations);
  CHECK(bench.window.findChild<LogPanel*>()->toPlainText().contains(QStringLiteral("4096 rows do not fit")));
  auto* panel = bench.window.findChild<SweepPanel*>();
  SweepPlot& plot = panel->plot();
  REQUIRE(plot.sweep().sizes == std::vector<std::int64_t>{512, 1'024, 2'048});
  CHECK(plot.xAxis->scaleType() == QCPAxis::stLogarithmic);
  CHECK(panel->words().contains(QStringLiteral("over rows, 3 sizes")));

  panel->setParent(nullptr);
  panel->resize(900, 400);
  panel->show();
  QCoreApplication::processEvents();
  plot.replot(QCustomPlot::rpImmediateRefresh);
  const SweepPoint first = plot.sweep().series[1].points[0];
  QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.pixelOf(first).toPoint());
  CHECK(bench.window.selection().now().run == first.run);
  CHECK(bench.window.selection().now().implementation() == 1);
  QTest::keyClick(&plot, Qt::Key_Right);
  CHECK(bench.window.selection().now().run == plot.sweep().series[1].points[1].run);
  QTest::keyClick(&plot, Qt::Key_Up);
  CHECK(bench.window.selection().now().implementation() == 0);
  CHECK(bench.window.selection().now().run == plot.sweep().series[1].points[1].run);
  delete panel;
}

TEST_CASE("clicks where several runs lie go through them") {
  SessionModel session;
  Selection selection;
  const auto sized = [](std::int64_t rows) {
    auto run = uitest::syntheticRun();
    run->dims["rows"] = rows;
    return std::shared_ptr<const Run>(run);
  };
  const auto a = sized(256);
  const auto b = sized(256);
  for (const auto& run : {sized(128), a, b}) session.add(run);
  selection.select(medianSelection(a, 1));
  SweepPanel panel(session, selection);
  panel.resize(900, 400);
  panel.show();
  QCoreApplication::processEvents();
  panel.plot().replot(QCustomPlot::rpImmediateRefresh);
  const QPoint at = panel.plot().pixelOf(panel.plot().sweep().series[1].points[1]).toPoint();
  QTest::mouseClick(&panel.plot(), Qt::LeftButton, {}, at);
  CHECK(selection.now().run == b);
  QTest::mouseClick(&panel.plot(), Qt::LeftButton, {}, at);
  CHECK(selection.now().run == a);
  // Without ceilings there is no efficiency to choose.
  for (const QComboBox* box : panel.findChildren<QComboBox*>()) {
    if (box->accessibleName() == QStringLiteral("Quantity")) CHECK_FALSE(box->isEnabled());
  }
}

TEST_CASE("an axis that is none is said before anything is measured") {
  auto engine = std::make_shared<SizedEngine>();
  Bench bench(engine);
  bench.window.pickers().pickOp(QStringLiteral("rms_norm"));
  bench.window.sweep(QStringLiteral("rows=512:64:2x"));
  CHECK(bench.window.banner().shownText().contains(QStringLiteral("ends before it begins")));
  bench.window.sweep(QStringLiteral("depth=1,2"));
  CHECK(bench.window.banner().shownText().contains(QStringLiteral("has no dimension")));
  CHECK(engine->jobs.empty());
}

TEST_CASE("the methods of the selected run's calls are measured from their view") {
  auto engine = std::make_shared<SizedEngine>();
  Bench bench(engine);
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  bench.window.session().add(run);
  bench.window.selection().select(medianSelection(run, 0));
  auto* panel = bench.window.findChild<MethodsPanel*>();
  CHECK(panel->table().model().rowCount() == 0);
  panel->findChild<QPushButton*>()->click();
  REQUIRE(waitFor([&] { return bench.window.session().runs().size() == 2; }));
  REQUIRE(engine->jobs.size() == 1);
  CHECK(engine->jobs[0].methods);
  CHECK(engine->jobs[0].op == "rms_norm");
  CHECK(engine->jobs[0].dims == run->dims);
  REQUIRE(panel->table().model().rowCount() == 2);
  CHECK(panel->table().model().index(0, 1).data().toString() == QStringLiteral("records: busy (the number)"));
  CHECK(panel->table().model().index(1, 3).data().toString() == QStringLiteral("1.000"));
}
